// The map, the part of the document that is read, and the card: the service draws them, this moves and selects.

const $ = (selector, within = document) => within.querySelector(selector);
const AFTER_RESIZE = 200;
const AFTER_MOVE = 60;
const EDGE = 1; // pixels of the map beside its axis

export class Reading {
  #extent = [0, 0];
  #isLoading = false;
  #next = null;
  #tables = 0; // that were asked for

  constructor({ load, table, changed, state, fail }) {
    Object.assign(this, { load, loadTable: table, changed, state, fail });
    this.map = $("#map");
    this.region = $("#reading");
    this.card = $("#card");
    this.map.addEventListener("keydown", (event) => this.#slide(event));
    this.map.addEventListener("pointerdown", (event) => this.#drag(event));
    this.region.addEventListener("click", (event) => {
      const found = event.target.closest("[data-alignment]");
      if (found) this.choose(Number(found.dataset.alignment));
    });
    this.region.addEventListener("keydown", (event) => this.#within(event));
    this.card.addEventListener("click", (event) => event.target.closest(".close") && this.close());
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.step(button.dataset.go));
    }
    $("#table").addEventListener("toggle", () => this.#fillTable());
  }

  /** Pixels from left to right. */
  get width() {
    const section = $("#annotations"); // hidden, it has no width of its own
    return Math.max(Math.floor($("main").clientWidth - 2 * parseFloat(getComputedStyle(section).paddingLeft)), 240);
  }

  /** Call when the page has another width. */
  onResize(listen) {
    let timer = null;
    let width = innerWidth;
    addEventListener("resize", () => {
      clearTimeout(timer);
      if (innerWidth === width) return;
      timer = setTimeout(() => {
        width = innerWidth;
        listen();
      }, AFTER_RESIZE);
    });
  }

  /** Put a document in place. */
  place(shown, view) {
    this.#extent = [shown.low, shown.high];
    this.map.innerHTML = shown.map;
    this.map.setAttribute("aria-label", `Where the disorder lies in ${shown.name}`);
    this.#view(view, false);
  }

  /** What is read, as a text: an answer that comes later than another document is not shown. */
  get #shown() {
    return JSON.stringify([this.state.example, this.state.data, this.state.document]);
  }

  /** Show the place of the state. */
  async show(more = {}, how = "replaceState") {
    if (this.#isLoading) {
      this.#next = [more, how];
      return;
    }
    this.#isLoading = true;
    const shown = this.#shown;
    try {
      const { view } = await this.load(more);
      if (shown === this.#shown) {
        this.#view(view, true);
        this.changed(view, how);
      }
    } catch (error) {
      if (shown === this.#shown) this.fail(error);
    } finally {
      this.#isLoading = false;
    }
    if (this.#next) {
      const next = this.#next;
      this.#next = null;
      await this.show(...next);
    }
  }

  /** Go to the next, previous or worst alignment with disorder. */
  step(go) {
    if ($("#annotations").hidden) return;
    this.show({ go }, go === "worst" ? "pushState" : "replaceState");
  }

  /** Choose an alignment. */
  choose(at) {
    this.state.at = at;
    this.show({}, "pushState");
  }

  /** Close the card. */
  close() {
    if (this.state.at === null) return;
    this.state.at = null;
    this.show({}, "replaceState");
  }

  #view(view, keepFocus) {
    const wasInCard = this.card.contains(document.activeElement);
    this.region.innerHTML = view.reading;
    this.region.setAttribute("aria-label", `${this.state.document}, ${view.words}`);
    this.card.innerHTML = view.card;
    if (keepFocus && wasInCard) (this.card.firstElementChild ?? this.region).focus({ preventScroll: true });
    Object.assign(this.state, { at: view.at, from: view.from, to: view.to });
    this.#frame(view.from, view.to);
    this.map.setAttribute("aria-valuemin", this.#extent[0]);
    this.map.setAttribute("aria-valuemax", this.#extent[1]);
    this.map.setAttribute("aria-valuenow", view.from);
    this.map.setAttribute("aria-valuetext", view.words);
    if ($("#table").open) this.#fillTable();
  }

  async #fillTable() {
    const box = $("#table > div");
    const turn = ++this.#tables;
    if (!$("#table").open) {
      box.replaceChildren();
      return;
    }
    try {
      const { table } = await this.loadTable();
      if (turn === this.#tables) box.innerHTML = table;
    } catch (error) {
      if (turn === this.#tables) this.fail(error);
    }
  }

  #frame(from, to) {
    const frame = $("rect.window", this.map);
    if (!frame) return;
    const [low, high] = this.#extent;
    const room = this.map.clientWidth - 2 * EDGE;
    const x = (position) => EDGE + ((position - low) / (high - low || 1)) * room;
    frame.setAttribute("x", x(from));
    frame.setAttribute("width", Math.max(x(to) - x(from), 2));
  }

  /** Read from another position, as much as now. */
  #move(from) {
    const [low, high] = this.#extent;
    const length = this.state.to - this.state.from;
    const start = Math.min(Math.max(from, low), Math.max(high - length, low));
    Object.assign(this.state, { from: start, to: Math.min(start + length, high), at: null });
    this.#frame(this.state.from, this.state.to);
    clearTimeout(this.moving);
    this.moving = setTimeout(() => this.show(), AFTER_MOVE);
  }

  #slide(event) {
    const length = this.state.to - this.state.from;
    const { from } = this.state;
    const [low, high] = this.#extent;
    const to = { ArrowLeft: from - length / 2, ArrowDown: from - length / 2, ArrowRight: from + length / 2 };
    Object.assign(to, { ArrowUp: from + length / 2, PageUp: from + length, PageDown: from - length, Home: low, End: high });
    if (!(event.key in to)) return;
    event.preventDefault();
    this.#move(to[event.key]);
  }

  #drag(event) {
    if (event.button !== 0) return;
    const [low, high] = this.#extent;
    const box = this.map.getBoundingClientRect();
    const length = this.state.to - this.state.from;
    const move = ({ clientX }) => {
      const part = (clientX - box.left - EDGE) / (box.width - 2 * EDGE);
      this.#move(low + part * (high - low) - length / 2);
    };
    const end = () => {
      this.map.removeEventListener("pointermove", move);
      this.map.removeEventListener("pointerup", end);
      this.map.removeEventListener("pointercancel", end);
    };
    this.map.setPointerCapture(event.pointerId);
    this.map.addEventListener("pointermove", move);
    this.map.addEventListener("pointerup", end);
    this.map.addEventListener("pointercancel", end);
    move(event);
  }

  #within(event) {
    if (event.target !== this.region) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (this.state.at === null) this.show({ go: "next" }).then(() => this.card.firstElementChild?.focus());
      else this.card.firstElementChild?.focus();
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      this.step(event.key === "ArrowRight" ? "next" : "previous");
    }
  }
}
