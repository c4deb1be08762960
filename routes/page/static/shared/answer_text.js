/**
 * Reads the text of an answer: blocks, sentences with their verdicts, citations and statutes. Nothing here makes HTML; what a
 * text says is put on the page as text.
 *
 * The service counts characters (code points); JavaScript counts UTF-16 units. All offsets here are code points.
 */

const HEADING = /^(?:#{1,6}\s+(.+)|\*\*([^*]+)\*\*:?)$/u;
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/u;
const MARKS = /\*\*|\[(\d{1,3})\]|\(([^()]*?제\d+조[^()]*)\)/gu;
const STATUTE = /^[「『]?[가-힣A-Za-z0-9·ㆍ\s]{1,60}[」』]?\s*제\d+조(?:의\d+)?(?:\s*제\d+항)?(?:\s*제\d+호)?$/u;

/**
 * @typedef {{kind: "text", text: string, bold: boolean} | {kind: "cite", index: number} | {kind: "statute", text: string}} Piece
 * @typedef {{verdict: object | null, pieces: Piece[]}} Sentence
 * @typedef {{kind: "heading" | "item" | "paragraph", start: number, sentences: Sentence[]}} Block
 */

/**
 * Cut an answer into blocks of sentences.
 * @param {string} content
 * @param {{start: number, end: number, verdict: string}[]} checks verdicts, by code points
 * @returns {Block[]}
 */
export function readAnswer(content, checks) {
  const blocks = [];
  const ordered = [...checks].sort((a, b) => a.start - b.start);
  let start = 0;
  for (const line of content.split("\n")) {
    const length = Array.from(line).length;
    if (line.trim()) blocks.push(blockOf(line, start, ordered));
    start += length + 1;
  }
  return blocks;
}

function blockOf(line, start, checks) {
  const heading = HEADING.exec(line.trim());
  const item = heading ? null : ITEM.exec(line);
  const kind = heading ? "heading" : item ? "item" : "paragraph";
  const chars = Array.from(line);
  let from = item ? Array.from(item[0]).length : 0;
  if (heading) {
    const text = (heading[1] ?? heading[2]).replaceAll("**", "");
    return { kind, start, sentences: [{ verdict: null, pieces: piecesOf(text, { bold: false }) }] };
  }
  const style = { bold: false };
  const sentences = [];
  const add = (end, verdict) => {
    if (end <= from) return;
    const text = chars.slice(from, end).join("");
    from = end;
    sentences.push({ verdict, pieces: piecesOf(text, style) });
  };
  for (const check of checks) {
    const first = check.start - start;
    const last = check.end - start;
    if (last <= from || first >= chars.length) continue;
    add(Math.max(first, from), null);
    add(Math.min(last, chars.length), check);
  }
  add(chars.length, null);
  return { kind, start, sentences };
}

/** Cut a text at bold marks, citations and bracketed statutes; `style` goes on from sentence to sentence. */
function piecesOf(text, style) {
  const pieces = [];
  let from = 0;
  const say = (said) => {
    if (said) pieces.push({ kind: "text", text: said, bold: style.bold });
  };
  for (const mark of text.matchAll(MARKS)) {
    say(text.slice(from, mark.index));
    from = mark.index + mark[0].length;
    if (mark[1]) pieces.push({ kind: "cite", index: Number(mark[1]) });
    else if (mark[2]) pieces.push(...statutesIn(mark[2], style));
    else style.bold = !style.bold;
  }
  say(text.slice(from));
  return pieces;
}

function statutesIn(list, style) {
  const pieces = [{ kind: "text", text: "(", bold: style.bold }];
  list.split(/,\s*/u).forEach((part, number) => {
    if (number) pieces.push({ kind: "text", text: ", ", bold: style.bold });
    pieces.push(STATUTE.test(part) ? { kind: "statute", text: part.trim() } : { kind: "text", text: part, bold: style.bold });
  });
  return [...pieces, { kind: "text", text: ")", bold: style.bold }];
}

/** The pieces of a text that is not an answer, such as a passage of a source. */
export function readPassage(text) {
  return piecesOf(text, { bold: false });
}

/** The words of a sentence, without its citations. */
export function plainText(sentence) {
  return sentence.pieces.map((piece) => (piece.kind === "cite" ? "" : piece.text)).join("").trim();
}

/**
 * The passages of a source, each with whether it is what the sentence quotes: the same words, else the passage that has most of
 * the sentence's pairs of characters.
 * @param {string} source
 * @param {string} said
 * @returns {{text: string, quoted: boolean}[]}
 */
export function markQuoted(source, said) {
  const passages = source.split(/\n+|(?<=[다요음]\.)\s+/u).map((text) => text.trim()).filter(Boolean);
  const wanted = pairsOf(said);
  let best = -1;
  let most = 0.34; // below a third it is another sentence about the same thing
  passages.forEach((text, number) => {
    const share = shareOf(wanted, pairsOf(text));
    if (share > most) [best, most] = [number, share];
  });
  return passages.map((text, number) => ({ text, quoted: number === best }));
}

function pairsOf(text) {
  const chars = Array.from(text.replace(/[\s[\](){}.,·‘’“”"'*]+/gu, ""));
  return new Set(chars.slice(1).map((char, number) => chars[number] + char));
}

function shareOf(wanted, found) {
  if (!wanted.size || !found.size) return 0;
  let common = 0;
  for (const pair of wanted) if (found.has(pair)) common += 1;
  return (2 * common) / (wanted.size + found.size);
}

/** A web address that may be opened: http or https, else nothing. */
export function webAddress(text) {
  try {
    const address = new URL(text);
    return address.protocol === "https:" || address.protocol === "http:" ? address.href : "";
  } catch {
    return "";
  }
}

/** The article at the National Law Information Center, for what the service does not hold. */
export function officialAddress(reference) {
  const found = /^[「『]?(.+?)[」』]?\s*(제\d+조(?:의\d+)?)/u.exec(reference);
  return found ? `https://www.law.go.kr/법령/${encodeURIComponent(found[1].replace(/\s+/gu, ""))}/${found[2]}` : "";
}
