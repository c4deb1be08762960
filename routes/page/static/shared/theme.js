/** Light, dark, or as the device is set. */

const STORE = "bizi.theme";

export function theme() {
  return localStorage.getItem(STORE) ?? "auto";
}

export function setTheme(value) {
  if (value === "auto") localStorage.removeItem(STORE);
  else localStorage.setItem(STORE, value);
  applyTheme();
}

export function applyTheme() {
  const value = theme();
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}
