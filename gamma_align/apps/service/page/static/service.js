// What the page asks of the service: parts of itself, data, jobs and their events; and whether anybody answers.

const RETRY = [1000, 2000, 5000];

/** An answer of the service that is an error, in its one shape. */
export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    Object.assign(this, { status }, error);
  }
}

/** Nobody answers. */
export class Lost extends Error {}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Ask, and return the response; Refused or Lost are thrown. */
const respond = async (path, options) => {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Lost();
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Refused(response.status, error ?? { message: `the answer is ${response.status}` });
};

/** Ask, and return the JSON of the answer; Refused or Lost are thrown. */
export const ask = async (path, options = {}) => (await respond(path, options)).json().catch(() => ({}));

/** Ask for a file, and return its content, its name and the notes on it; Refused or Lost are thrown. */
export const askFile = async (path, options) => {
  const response = await respond(path, options);
  const { name, notes } = JSON.parse(decodeURIComponent(response.headers.get("X-File")));
  return { content: await response.blob(), name, notes };
};

/** Wait until the service answers again. */
export const again = async () => {
  for (let turn = 0; ; turn += 1) {
    await pause(RETRY[Math.min(turn, RETRY.length - 1)]);
    try {
      return await ask("api/v1/examples");
    } catch (error) {
      if (!(error instanceof Lost)) return null;
    }
  }
};

const leaving = (id) => `page/leave?${new URLSearchParams({ job: id })}`;

/** The one job of the page: starting it ends the one before. */
export class Job {
  #events = null;
  #starting = 0;

  constructor(listen) {
    this.listen = listen;
    this.id = null;
    this.isRunning = false;
  }

  /** Measure a source with settings; results come as events, `note` is kept beside. */
  async start(source, settings, note) {
    const turn = ++this.#starting;
    this.#events?.close();
    const query = new URLSearchParams({ ...source, wait: 0 });
    if (this.isRunning) query.set("replaces", this.id);
    const body = JSON.stringify({ settings });
    const headers = { "Content-Type": "application/json" };
    const job = await ask(`api/v1/measure?${query}`, { method: "POST", body, headers }).catch((error) => {
      if (turn === this.#starting) throw error;
      return null; // nobody waits for it any more
    });
    if (job === null) return null;
    if (turn !== this.#starting) {
      // another was started meanwhile, which could not name this one
      navigator.sendBeacon(leaving(job.job));
      return null;
    }
    this.id = job.job;
    this.settings = note;
    this.isRunning = true;
    this.follow();
    return job;
  }

  /** Listen to the events of the job. */
  follow() {
    const events = new EventSource(`api/v1/jobs/${this.id}/events`);
    this.#events = events;
    for (const kind of ["progress", "partial", "done", "failed", "cancelled"]) {
      events.addEventListener(kind, (event) => {
        if (events !== this.#events) return;
        if (!["progress", "partial"].includes(kind)) this.end();
        this.listen(kind, JSON.parse(event.data));
      });
    }
    events.addEventListener("error", () => {
      if (events !== this.#events) return;
      events.close();
      this.listen("lost", null);
    });
  }

  end() {
    this.isRunning = false;
    this.#events?.close();
    this.#events = null;
  }

  /** Cancel it, of which its events tell; it may have come to its end just now. */
  cancel() {
    this.#starting += 1;
    if (this.isRunning) navigator.sendBeacon(leaving(this.id));
  }

  /** Cancel it, and forget it. */
  drop() {
    this.cancel();
    this.end();
    this.id = null;
  }
}
