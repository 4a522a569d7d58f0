// The address: source, document, place, what is hidden, and the settings that are not the defaults.

const LISTS = ["hide", "without", "model"];
const NUMBERS = ["at", "from", "to"];
const TEXTS = ["example", "data", "document", "cases", "reading"];

/** Return the state that an address holds; `settings` are names of settings. */
export const read = (search, settings) => {
  const query = new URLSearchParams(search);
  const state = { settings: {} };
  for (const name of LISTS) state[name] = query.getAll(name);
  for (const name of TEXTS) state[name] = query.get(name);
  for (const name of NUMBERS) {
    const value = query.get(name);
    state[name] = value !== null && value !== "" && Number.isFinite(Number(value)) ? Number(value) : null;
  }
  for (const name of settings) if (query.has(name)) state.settings[name] = query.get(name);
  return state;
};

/** Return the address of a state. */
export const write = (state) => {
  const query = new URLSearchParams();
  for (const name of [...TEXTS, ...NUMBERS]) if (state[name] !== null && state[name] !== undefined) query.set(name, state[name]);
  for (const name of LISTS) for (const value of state[name]) query.append(name, value);
  for (const [name, value] of Object.entries(state.settings)) query.set(name, value);
  const text = query.toString();
  return text ? `./?${text}` : "./"; // a proxy may put a prefix before it
};
