/** Pictures and voice for the assistants that take them. */

import { getJson } from "../shared/api.js";

const LONGEST_SIDE = 1600;
const QUALITY = 0.85;

/** A picture as a data address, made smaller where it is large, without what a camera notes in it. */
export async function pictureOf(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL("image/jpeg", QUALITY);
}

/** What is said in a recording. */
export async function transcribed(assistant, file) {
  const body = new FormData();
  body.append("file", file);
  const { text } = await getJson(`api/assistants/${encodeURIComponent(assistant)}/transcribe`, { method: "POST", body });
  return String(text ?? "");
}
