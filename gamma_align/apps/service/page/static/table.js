// Tables in files that the service does not read as they are: other delimiters and encodings, JSON records, times.

const HEAD_BYTES = 256 * 1024; // of a table: enough for its first rows
const MAX_JSON_BYTES = 50e6; // JSON is parsed as a whole
const LONG_TEXT = 120; // characters; longer values are texts of documents, not columns
const DECIMALS = 6; // of a time: hours and minutes in seconds have no digits beyond those of the cell
const TIME = /^(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)$/; // hours, minutes, seconds
const DECIMAL_COMMA = /^-?\d+,\d+$/;
const READ_AS_IS = { ",": /\.csv$/i, "\t": /\.(tsv|tab)$/i }; // by delimiter
/** What a column can be, with the word for it. An end is a column, or start and length. */
export const ROLES = { document: "document", annotator: "annotator", start: "start", end: "end", length: "length", category: "label" };

/** Return the number in a cell, a time in seconds; NaN if there is none. */
export const numberOf = (cell) => {
  const text = cell.trim();
  const time = TIME.exec(text);
  if (time) return rounded(3600 * Number(time[1] ?? 0) + 60 * Number(time[2]) + Number(time[3].replace(",", ".")));
  if (DECIMAL_COMMA.test(text)) return Number(text.replace(",", "."));
  return text === "" ? NaN : Number(text);
};
export const isNumber = (cell) => Number.isFinite(numberOf(cell));
const isPlain = (cell) => cell.trim() !== "" && Number.isFinite(Number(cell));
const rounded = (number) => Number(number.toFixed(DECIMALS));

/** Return the text of a file, and its encoding if that is a guess. */
const textOf = async (blob) => {
  const bytes = await blob.arrayBuffer();
  const mark = [...new Uint8Array(bytes.slice(0, 2))].join();
  const wide = { "255,254": "utf-16le", "254,255": "utf-16be" }[mark];
  if (wide) return { text: new TextDecoder(wide).decode(bytes), encoding: "UTF-16" };
  try {
    // as a stream: the end of the head may be half a character
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }), encoding: "" };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "Windows-1252 (Western European)" };
  }
};

/** Return the rows of a text with delimiters, as RFC 4180 has them. */
const rowsOf = (text, delimiter) => {
  const rows = [];
  let [row, cell, quoted] = [[], "", false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '"' && text[at + 1] === '"') (cell += '"'), (at += 1);
    else if (character === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (!quoted && character === delimiter) row.push(cell), (cell = "");
    else if (!quoted && (character === "\n" || character === "\r")) {
      if (character === "\r" && text[at + 1] === "\n") at += 1;
      rows.push([...row, cell]);
      [row, cell] = [[], ""];
    } else cell += character;
  }
  if (cell !== "" || row.length) rows.push([...row, cell]);
  return rows.filter((each) => each.length > 1 || each[0].trim() !== "");
};

const quote = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const csvOf = (columns, rows) => [columns, ...rows].map((row) => row.map(quote).join(",")).join("\n");

const scalars = (record) =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value) && String(value).length <= LONG_TEXT)
      .map(([key, value]) => [key, String(value)])
  );

/** Return JSON records as rows: a record with a list of spans is a row for each span. */
const flatten = (records) => {
  const flat = records.flatMap((record) => {
    const own = scalars(record);
    const list = Object.entries(record).find(([, value]) => Array.isArray(value) && value.some((each) => each && typeof each === "object"));
    if (!list) return [own];
    const named = (span) => (Array.isArray(span) ? Object.fromEntries(span.map((value, index) => [`${list[0]} ${index + 1}`, value])) : (span ?? {}));
    return list[1].map((span) => ({ ...own, ...scalars(named(span)) }));
  });
  const columns = [...new Set(flat.flatMap(Object.keys))];
  return { columns, rows: flat.map((record) => columns.map((name) => record[name] ?? "")) };
};

const parseJson = (text) => {
  try {
    const whole = JSON.parse(text);
    if (Array.isArray(whole)) return whole;
    return Object.values(whole).find((value) => Array.isArray(value) && value[0] && typeof value[0] === "object" && !Array.isArray(value[0])) ?? [whole];
  } catch {
    return text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  }
};

/**
 * Return the table in a file, or null if there is none: its columns, its first rows, a function that returns `all` rows,
 * its encoding if that is a guess, and whether the service reads the file as it is.
 */
export const tableOf = async (file) => {
  const { text: head, encoding } = await textOf(file.slice(0, HEAD_BYTES));
  if (head.includes("\0")) return null;
  if (/^\s*[[{]/.test(head)) {
    if (file.size > MAX_JSON_BYTES) return null;
    try {
      const { columns, rows } = flatten(parseJson((await textOf(file)).text).filter((each) => each && typeof each === "object"));
      return columns.length < 2 || !rows.length ? null : { file, columns, rows, all: async () => rows, encoding, isRead: false };
    } catch {
      return null;
    }
  }
  const complete = file.size > HEAD_BYTES ? head.slice(0, head.lastIndexOf("\n")) : head;
  const tables = [",", "\t", ";", "|"].map((delimiter) => ({ delimiter, rows: rowsOf(complete, delimiter) }));
  const [{ delimiter, rows }] = tables.sort((a, b) => (b.rows[0]?.length ?? 0) - (a.rows[0]?.length ?? 0));
  if (rows.length < 2 || rows[0].length < 2 || rows[1].length !== rows[0].length) return null;
  const hasHeader = !rows[0].some(isNumber);
  const columns = hasHeader ? rows[0].map((cell) => cell.trim()) : rows[0].map((_, index) => `column ${index + 1}`);
  const own = (found) => (hasHeader ? found.slice(1) : found);
  const isRead = hasHeader && !encoding && Boolean(READ_AS_IS[delimiter]?.test(file.name));
  return { file, columns, rows: own(rows), all: async () => own(rowsOf((await textOf(file)).text, delimiter)), encoding, isRead };
};

/** Return the bounds of the unit in a row, with the columns of `roles`. */
export const boundsOf = (row, roles) => {
  const [start, end, length] = ["start", "end", "length"].map((role) => numberOf(row[roles[role]] ?? ""));
  return [start, roles.end === undefined ? rounded(start + length) : end];
};

/** Return whether the service reads the first rows of a table as it is, with the columns of `roles`. */
export const isReadAsIs = ({ isRead, rows }, roles) =>
  isRead && roles.end !== undefined && rows.every((row) => isPlain(row[roles.start] ?? "") && isPlain(row[roles.end] ?? ""));

/** Return a table as a file of CSV whose columns are named by their roles, times in seconds. */
export const converted = async ({ file, all }, roles) => {
  const names = Object.keys(ROLES).filter((role) => role !== "length" && (role === "end" || roles[role] !== undefined));
  const cellOf = (row, role) => {
    if (role !== "start" && role !== "end") return row[roles[role]] ?? "";
    const number = boundsOf(row, roles)[role === "start" ? 0 : 1];
    // The service names the line of a cell that is no number.
    return Number.isFinite(number) ? String(number) : (row[roles[role] ?? roles.length] ?? "");
  };
  const rows = (await all()).map((row) => names.map((role) => cellOf(row, role)));
  return new File([csvOf(names, rows)], `${file.name.replace(/\.\w+$/, "")}.csv`);
};
