/** A form made from the JSON Schema of what a route takes: documents and calculators. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";

const LONG = 150; // characters from which a text gets several lines

/** The schema of a value that may be left out, references followed. */
function resolved(field, root) {
  const schema = field.anyOf ? { ...field, ...(field.anyOf.find((one) => one.type !== "null") ?? {}) } : field;
  if (!schema.$ref) return schema;
  const name = schema.$ref.split("/").at(-1);
  return { ...schema, ...(root.$defs?.[name] ?? {}) };
}

/** The name of a field for people: its title where that is Korean, else the description. */
function labelOf(field, name) {
  const korean = /[가-힣]/u.test(field.title ?? "");
  const text = korean ? field.title : (field.description ?? field.title ?? name);
  return text.replace(/\.$/u, "").replace("(YYYY-MM-DD)", ""); // the browser's own control knows the order
}

/**
 * The label of a choice and of its values. Where the schema has no `labels`, its description tells them: `key: label, …` or
 * `key label, …`, else `name: label, label, …` in the order of the values.
 */
function choiceLabels(field, label) {
  if (field.labels) return { label, labels: field.labels };
  const found = field.enum.map((value) => new RegExp(`(?:^|[\\s.,:])${value}:?\\s+((?:\\([^)]*\\)|\\.(?=\\d)|[^,.(])+)`, "u").exec(field.description ?? ""));
  if (found.every(Boolean)) {
    const before = (field.description ?? "").slice(0, found[0].index).replace(/[.:\s]+$/u, "");
    return { label: before || "종류", labels: Object.fromEntries(field.enum.map((value, number) => [value, found[number][1].trim()])) };
  }
  const [name, listed = ""] = label.split(/:\s*/u);
  const parts = listed.split(/,\s*/u);
  if (parts.length !== field.enum.length) return { label, labels: {} };
  return { label: name, labels: Object.fromEntries(field.enum.map((value, number) => [value, parts[number]])) };
}

/** The unit of a field, unless its label says it. */
function unitOf(schema, label) {
  return schema.unit && !label.includes(`(${schema.unit})`) ? schema.unit : "";
}

/**
 * The fields of an object schema.
 * @param {object} schema
 * @param {object} values filled in as the fields change
 * @param {{changed: () => void, errors: Record<string, string>, prefix?: string, root?: object, first?: string[], requiredFirst?: boolean}} options
 *   `errors` by path, such as `fields.wage`; the fields in `first` stand before the others, with `requiredFirst` those that are needed
 */
export function schemaFields(schema, values, options) {
  const { prefix = "", root = schema } = options;
  const required = new Set(schema.required ?? []);
  const all = Object.entries(schema.properties ?? {}).map(([name, declared]) => {
    const field = resolved(declared, root);
    const path = prefix ? `${prefix}.${name}` : name;
    return { name, field, path, wanted: required.has(name), shown: isFirst(name, field, required, values, options, path) };
  });
  if (options.requiredFirst) all.sort((a, b) => Number(b.wanted) - Number(a.wanted));
  const row = ({ name, field, path, wanted }) => fieldRow(name, field, path, wanted, values, options, root);
  const later = all.filter((one) => !one.shown);
  return html`<div class="grid">${all.filter((one) => one.shown).map(row)}</div>
    ${later.length
      ? html`<details class="more"><summary>더 적을 수 있는 것 ${later.length}가지</summary><div class="grid">${later.map(row)}</div></details>`
      : nothing}`;
}

function isFirst(name, field, required, values, options, path) {
  const few = options.few ?? true;
  const failed = Object.keys(options.errors).some((one) => one === path || one.startsWith(`${path}.`));
  return few || required.has(name) || options.first?.includes(name) || Boolean(field.article) || failed;
}

function fieldRow(name, field, path, wanted, values, options, root) {
  const choice = field.enum ? choiceLabels(field, labelOf(field, name)) : { label: labelOf(field, name) };
  const [label, ...told] = choice.label.split(/\.\s+/u);
  const error = options.errors[path];
  const id = `f-${path.replaceAll(".", "-")}`;
  const set = (value) => {
    if (value === undefined || value === "") delete values[name];
    else values[name] = value;
    options.changed();
  };
  if (field.type === "array") return listRow({ label, path, field, values, name, wanted, error }, options, root);
  if (field.type === "boolean") {
    const on = values[name] ?? field.default ?? false;
    return html`<label class="field tick"><input type="checkbox" id=${id} .checked=${on} @change=${(event) => set(event.target.checked)} /><span>${label}</span></label>`;
  }
  const unit = unitOf(field, label);
  return html`<div class=${field.type === "string" && field.maxLength > LONG ? "field wide" : "field"}>
    <label for=${id}>${label}${unit ? html` <span class="muted">(${unit})</span>` : nothing}${wanted ? html`<span class="must" aria-hidden="true"> *</span>` : nothing}</label>
    ${control(id, { ...field, labels: choice.labels }, values[name], set, wanted, error)}
    ${told.length ? html`<small class="muted">${told.join(". ")}</small>` : nothing}
    ${field.article ? html`<small class="muted">${field.article}</small>` : nothing}
    ${error ? html`<small class="error" id="${id}-error">${error}</small>` : nothing}
  </div>`;
}

function control(id, field, value, set, wanted, error) {
  const described = error ? `${id}-error` : nothing;
  const invalid = error ? "true" : nothing;
  if (field.enum) {
    const chosen = value ?? field.default ?? "";
    return html`<select id=${id} ?required=${wanted} aria-invalid=${invalid} aria-describedby=${described} @change=${(event) => set(event.target.value)}>
      ${wanted && field.default !== undefined ? nothing : html`<option value="" ?selected=${chosen === ""}>고르지 않음</option>`}
      ${field.enum.map((one) => html`<option value=${one} ?selected=${one === chosen}>${field.labels?.[one] ?? one}</option>`)}
    </select>`;
  }
  if (field.type === "integer" || field.type === "number") {
    return html`<input id=${id} type="number" inputmode="decimal" step=${field.type === "integer" ? "1" : "any"} min=${field.minimum ?? ""} max=${field.maximum ?? ""}
      ?required=${wanted} aria-invalid=${invalid} aria-describedby=${described} .value=${String(value ?? field.default ?? "")}
      @input=${(event) => set(event.target.value === "" ? undefined : Number(event.target.value))} />`;
  }
  if (field.maxLength > LONG) {
    return html`<textarea id=${id} rows="3" maxlength=${field.maxLength} ?required=${wanted} aria-invalid=${invalid} aria-describedby=${described}
      .value=${value ?? ""} @input=${(event) => set(event.target.value)}></textarea>`;
  }
  return html`<input id=${id} type=${field.format === "date" ? "date" : field.format === "time" ? "time" : "text"} maxlength=${field.maxLength ?? nothing} ?required=${wanted}
    aria-invalid=${invalid} aria-describedby=${described} .value=${value ?? field.default ?? ""} @input=${(event) => set(event.target.value)} />`;
}

function listRow({ label, path, field, values, name, wanted, error }, options, root) {
  const item = resolved(field.items ?? {}, root);
  const list = values[name] ?? (wanted ? Array.from({ length: field.minItems ?? 1 }, () => (item.properties ? {} : "")) : []);
  values[name] = list;
  if (!wanted && !list.length) delete values[name];
  const change = (next) => {
    if (next.length || wanted) values[name] = next;
    else delete values[name];
    options.changed();
  };
  return html`<fieldset class="list wide">
    <legend>${label}${wanted ? html`<span class="must" aria-hidden="true"> *</span>` : nothing}</legend>
    ${error ? html`<small class="error">${error}</small>` : nothing}
    ${list.map(
      (one, number) => html`<div class="entry">
        ${item.properties
          ? schemaFields(item, one, { ...options, prefix: `${path}.${number}`, root, few: true })
          : html`<label class="field"><span class="sr">${label} ${number + 1}</span>${control(`f-${path}-${number}`.replaceAll(".", "-"), item, one, (value) => change(list.with(number, value ?? "")), false)}</label>`}
        ${list.length > (field.minItems ?? 0)
          ? html`<button type="button" class="plain small" @click=${() => change(list.toSpliced(number, 1))}>${number + 1}번 빼기</button>`
          : nothing}
      </div>`,
    )}
    ${list.length < (field.maxItems ?? 100)
      ? html`<button type="button" class="small" @click=${() => change([...list, item.properties ? {} : ""])}>하나 더</button>`
      : nothing}
  </fieldset>`;
}

/** What is filled in, without empty rows and texts. */
export function filled(values) {
  const clean = (value) => {
    if (Array.isArray(value)) return value.map(clean).filter((one) => one !== undefined && one !== "");
    if (value && typeof value === "object") {
      const entries = Object.entries(value).map(([name, one]) => [name, clean(one)]);
      const told = entries.filter(([, one]) => one !== undefined && one !== "");
      return told.length ? Object.fromEntries(told) : undefined;
    }
    return value;
  };
  return clean(values) ?? {};
}

/** The problems of a refused form by the path of their field. */
export function errorsByPath(failure) {
  return Object.fromEntries(failure.errors.map(({ path, message }) => [path.replace(/^params\./u, ""), message]));
}
