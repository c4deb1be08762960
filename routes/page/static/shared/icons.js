/** Icons, drawn for this page; they say nothing by themselves, the text beside them does. */

import { svg, html } from "../vendor/lit-html/lit-html.js";

const shapes = {
  check: svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  alert: svg`<path d="M12 4 2.8 19.5h18.4L12 4Z"/><path d="M12 10v4.5M12 17v.2"/>`,
  question: svg`<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.8v.2"/>`,
  close: svg`<path d="m6 6 12 12M18 6 6 18"/>`,
  send: svg`<path d="M12 19V5m-6 6 6-6 6 6"/>`,
  stop: svg`<rect x="7" y="7" width="10" height="10" rx="1.5"/>`,
  chats: svg`<path d="M4 5h16v11H9l-5 4V5Z"/>`,
  plus: svg`<path d="M12 5v14M5 12h14"/>`,
  company: svg`<path d="M4 20V6l8-3v17M12 9h8v11M3 20h18M7.5 9v.1M7.5 13v.1M16 13v.1M16 16.5v.1"/>`,
  tools: svg`<rect x="4" y="4" width="16" height="16" rx="2.5"/><path d="M8 9h8M8 13h2M8 16.5h2M14 13h2M14 16.5h2"/>`,
  settings: svg`<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>`,
  copy: svg`<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M15 5.5A1.5 1.5 0 0 0 13.500 4H5.500A1.500 1.500 0 0 0 4 5.500v8A1.500 1.500 0 0 0 5.500 15"/>`,
  retry: svg`<path d="M19.500 12A7.500 7.500 0 1 1 17 6.400M19.500 3.500v4h-4"/>`,
  up: svg`<path d="M7 20V10l4.500-6.500c1.500 0 2 1 2 2.500L13 9h5.500a1.800 1.800 0 0 1 1.800 2.200l-1.300 7A2.200 2.200 0 0 1 16.800 20H7ZM7 10H3.500v10H7"/>`,
  down: svg`<path d="M17 4v10l-4.500 6.500c-1.500 0-2-1-2-2.500l.5-3H5.500a1.800 1.800 0 0 1-1.800-2.200l1.300-7A2.200 2.200 0 0 1 7.200 4H17ZM17 14h3.500V4H17"/>`,
  file: svg`<path d="M6 3h8l4 4v14H6V3Z"/><path d="M14 3v4h4M9 12h6M9 16h6"/>`,
  calendar: svg`<rect x="4" y="5.500" width="16" height="15" rx="2"/><path d="M4 10h16M8 3v4M16 3v4"/>`,
  search: svg`<circle cx="11" cy="11" r="6.500"/><path d="m16 16 4.500 4.500"/>`,
  phone: svg`<path d="M6 3h3l1.500 5-2 1.500a12 12 0 0 0 6 6l1.500-2 5 1.500v3a2 2 0 0 1-2.200 2A17 17 0 0 1 4 5.200 2 2 0 0 1 6 3Z"/>`,
  image: svg`<rect x="4" y="5" width="16" height="14" rx="2"/><path d="m4 16 4.500-4.500L14 17M13 14l2.500-2.500L20 16"/><circle cx="15.500" cy="9" r="1"/>`,
  voice: svg`<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.500 11.500a6.500 6.500 0 0 0 13 0M12 18v3"/>`,
  book: svg`<path d="M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3V4Z"/><path d="M5 17a3 3 0 0 1 3-3h10"/>`,
  open: svg`<path d="M14 4h6v6M20 4l-9 9M18 14v6H4V6h6"/>`,
  trash: svg`<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13"/>`,
};

/** An icon by its name. */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${shapes[name]}</svg>`;
}
