// Files that people drop or choose: folders unfolded, and sent to the service.

import { ask } from "./service.js";

/** Return how large files are together. */
export const sizeOf = (files) => {
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (bytes < 1e6) return `${Math.ceil(bytes / 1000).toLocaleString("en")} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
};

/** Send files, to be read as settings say, and return what the service says is in them. */
export const send = (files, settings, signal) => {
  if (files.length === 1) {
    const query = new URLSearchParams({ name: files[0].name, settings });
    const headers = { "Content-Type": "application/octet-stream" };
    return ask(`api/v1/data?${query}`, { method: "POST", body: files[0], headers, signal });
  }
  const form = new FormData();
  form.append("settings", settings);
  for (const file of files) form.append("file", file, file.path || file.webkitRelativePath || file.name);
  return ask("api/v1/data", { method: "POST", body: form, signal });
};

/** Return the files that were dropped, those in folders with their paths. */
export const droppedFiles = async (transfer) => {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  const found = await Promise.all(entries.map((entry) => filesOf(entry, "")));
  return found.flat();
};

const filesOf = async (entry, folder) => {
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [Object.assign(file, { path })];
  }
  const reader = entry.createReader();
  const found = [];
  // a reader gives some entries at a time, and none at the end
  for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length; ) {
    for (const each of some) found.push(...(await filesOf(each, `${path}/`)));
  }
  return found.filter((file) => !file.name.startsWith("."));
};
