// The form of settings: what differs from the defaults, what a setting was before, and errors at their field.

const $ = (selector, within = document) => within.querySelector(selector);
const OPTION = /(\w+=\S+ )?\(--([a-z-]+)(?: ([\w.-]+))?\)|--([a-z-]+)(?: ([\w.-]+))?(?: \(\w+=[^)]*\))?/g;
const NARROW = matchMedia("(max-width: 860px)");

const short = (number) => String(Number(number.toPrecision(12)));

export class Settings {
  constructor(details) {
    this.details = details;
    this.form = $("form", details);
    this.defaults = JSON.parse(this.form.dataset.defaults);
    this.fields = JSON.parse(this.form.dataset.fields);
    this.names = Object.keys(this.fields);
    /** Settings on which the data depend. */
    this.reading = this.#affecting("data");
    /** Settings on which the alignment depends. */
    this.aligning = [...this.reading, ...this.#affecting("alignment")];
    const fold = () => {
      details.open = !NARROW.matches;
      $("summary", details).tabIndex = NARROW.matches ? 0 : -1;
    };
    NARROW.addEventListener("change", fold);
    fold();
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  #affecting(result) {
    return this.names.filter((name) => this.fields[name].affects === result);
  }

  /** Return a value as the form shows it. */
  #toField(name, value) {
    return this.fields[name].is_percent && Number.isFinite(Number(value)) ? short(Number(value) * 100) : value;
  }

  /** Return the value that the text of a field stands for. */
  #fromField(name, text) {
    const value = text.trim().replace(/\s*%$/, "");
    const isPercent = this.fields[name].is_percent && value !== "" && Number.isFinite(Number(value));
    return isPercent ? short(Number(value) / 100) : value;
  }

  /** Call with the settings whenever one was changed. */
  onChange(listen) {
    const changed = () => listen(this.read());
    this.form.addEventListener("input", (event) => this.names.includes(event.target.name) && changed());
    $("#reset").addEventListener("click", () => {
      this.place({});
      changed();
    });
  }

  /** Return the settings in the form that differ from the defaults of their conventions. */
  read() {
    const conventions = this.form.conventions.value;
    const defaults = { ...this.defaults.m15, ...this.defaults[conventions] };
    const before = { ...this.defaults.m15, ...this.defaults[this.conventions] };
    const found = conventions === this.defaults.m15.conventions ? {} : { conventions };
    for (const name of this.names.filter((each) => each !== "conventions")) {
      const value = this.#fromField(name, this.form[name].value);
      // a field that was not touched follows the conventions
      const isDefault = value === "" || same(value, defaults[name]);
      const isFormer = conventions !== this.conventions && same(value, before[name]);
      if (!isDefault && !isFormer) found[name] = value;
    }
    return found;
  }

  /** Put settings into the form; the field that is being typed in stays as it is. */
  place(settings) {
    this.conventions = settings.conventions ?? this.defaults.m15.conventions;
    const all = this.#whole(settings);
    for (const name of this.names) {
      const field = this.form[name];
      const text = this.#toField(name, String(all[name]));
      const isTyped = document.activeElement === field && same(this.#fromField(name, field.value), all[name]);
      if (!isTyped && !(document.activeElement === field && field.value.trim() === "")) field.value = text;
      this.#note(name, "", false);
    }
    $("#settings-short").textContent =
      `γ family, α ${all.alpha}, β ${all.beta}, Δ ${all.delta_empty}, ${this.#toField("precision", all.precision)} %, seed ${all.seed}`;
  }

  /** Return settings as the service takes them: numbers are numbers. */
  asked(settings) {
    const typed = ([name, value]) => [name, value !== "" && Number.isFinite(Number(value)) ? Number(value) : value];
    return Object.fromEntries(Object.entries(settings).map(typed));
  }

  /** Return the settings on which the alignment depends as a text. */
  aligned(settings) {
    return JSON.stringify(this.#some(settings, this.aligning));
  }

  /** Return the settings on which the data depend as a text. */
  reads(settings) {
    return JSON.stringify(this.#some(settings, this.reading));
  }

  #some(settings, names) {
    return Object.fromEntries(names.filter((name) => name in settings).map((name) => [name, settings[name]]));
  }

  /** Return whether two lots of settings are the same. */
  isSame(left, right) {
    const [a, b] = [this.#whole(left), this.#whole(right)];
    return this.names.every((name) => same(a[name], b[name]));
  }

  #whole(settings) {
    return { ...this.defaults.m15, ...this.defaults[settings.conventions], ...settings };
  }

  /** Say at each field what it was when the values shown were measured. */
  compare(settings, measured) {
    if (measured === null) return;
    const [now, then] = [this.#whole(settings), this.#whole(measured)];
    for (const name of this.names) {
      const { affects, short: word, is_percent: isPercent } = this.fields[name];
      if (affects !== "data" && !same(now[name], then[name])) {
        const unit = isPercent ? " %" : "";
        this.#note(name, `${word} was ${this.#toField(name, String(then[name]))}${unit}`, false);
      }
    }
  }

  /** The values shown are those of these settings. */
  accept(settings) {
    for (const name of this.names) this.#note(name, "", false);
    this.compare(this.read(), settings);
  }

  /** Return an error in the words of the page: its settings are called by their titles. */
  inWords(text, actions = []) {
    for (const { name, value } of this.settable(actions)) {
      text = text.replaceAll(`the setting "${name}": ${JSON.stringify(value)}`, this.#titled(name, value));
    }
    return this.inPage(text);
  }

  /** Return name and value of each action that changes a setting of this form. */
  settable(actions = []) {
    const pairs = actions.flatMap(({ set = {} }) => Object.entries(set));
    return pairs.filter(([name]) => this.names.includes(name)).map(([name, value]) => ({ name, value, title: this.#titled(name, value) }));
  }

  /** Change a setting as if it was typed. */
  change(name, value) {
    this.form[name].value = this.#toField(name, String(value));
    this.form[name].dispatchEvent(new Event("input", { bubbles: true }));
  }

  #titled(name, value) {
    const field = this.form[name];
    const chosen = [...(field.options ?? [])].find((option) => option.value === String(value));
    return `“${field.labels[0].textContent}: ${chosen ? chosen.textContent : this.#toField(name, String(value))}”`;
  }

  /** Return a note with the titles of settings in place of options. */
  inPage(text) {
    return text.replace(OPTION, (whole, inPython, inBrackets, oneValue, alone, otherValue) => {
      const name = (inBrackets ?? alone).replaceAll("-", "_");
      if (!this.names.includes(name)) return whole;
      const value = oneValue ?? otherValue;
      const field = this.form[name];
      const chosen = value && [...(field.options ?? [])].find((option) => option.value === value);
      const title = field.labels[0].textContent;
      const words = chosen ? `“${title}: ${chosen.textContent}”` : `“${title}”${value ? ` ${value}` : ""}`;
      return inBrackets && !inPython ? `(${words})` : words;
    });
  }

  /** Show an error at its field; return whether there is one. */
  refuse(error) {
    const name = error.where?.field;
    if (!this.names.includes(name)) return false;
    const text = error.message.replace(/^argument [^:]*: /, "");
    this.#note(name, this.inWords([text, error.cure].filter(Boolean).join("; "), error.actions), true);
    if (NARROW.matches) this.details.open = true;
    return true;
  }

  #note(name, text, isError) {
    const field = this.form[name];
    const note = document.getElementById(`${name}-note`);
    if (isError) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (!note) return;
    note.textContent = text;
    note.classList.toggle("error", isError);
  }
}

const same = (left, right) => String(left) === String(right) || (left !== "" && Number(left) === Number(right));
