"use strict";
// The gallery of cases. Data is stored in inert blocks and shown as text only: no string is ever parsed as HTML. A case
// is decoded when its card is made, and a picture when its card comes into view.
(() => {
  const PER_PAGE = 24;
  const LONG = 180;
  const VERDICTS = {
    right: "✓ right",
    wrong: "✗ wrong",
    unread: "? unread",
    cut: "✂ cut off",
    empty: "∅ empty",
    failed: "! failed",
    missing: "… no reply",
  };
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  const byId = (id) => document.getElementById(id);
  const stored = (id) => {
    const block = byId(id);
    return block === null ? null : JSON.parse(block.textContent);
  };
  const number = (value) => value.toLocaleString("en-GB");
  const index = stored("index");
  const total = index.group_of.length;
  const ASKINGS = Object.fromEntries(index.askings.map((asking) => [asking.key, asking]));
  const PICTURES = ["factual picture", "counterfactual picture"];

  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null) node.setAttribute(key, value);
    }
    node.append(...children); // strings become text nodes
    return node;
  };

  // ---- state, which is stored in the address -------------------------------------------------------------------

  const fresh = () => ({ outcome: -1, run: -1, group: -1, versus: "", q: "", only: "", page: 0 });
  let state = fresh();

  const readAddress = () => {
    const found = location.hash.match(/^#cases\?(.*)$/);
    if (!found) return false;
    const asked = new URLSearchParams(found[1]);
    const page = Number.parseInt(asked.get("page") ?? "1", 10);
    state = {
      outcome: index.outcomes.findIndex((outcome) => outcome.key === asked.get("outcome")),
      run: index.runs.indexOf(asked.get("run")),
      group: index.groups.indexOf(asked.get("group")),
      versus: VERSUS.has(asked.get("versus")) ? asked.get("versus") : "",
      q: asked.get("q") ?? "",
      only: asked.get("case") ?? "",
      page: page > 0 ? page - 1 : 0,
    };
    return true;
  };

  // The Back button undoes a change of a filter, but not a further letter of a search.
  const writeAddress = (step) => {
    const asked = new URLSearchParams();
    if (state.outcome >= 0) asked.set("outcome", index.outcomes[state.outcome].key);
    if (state.run >= 0) asked.set("run", index.runs[state.run]);
    if (state.group >= 0) asked.set("group", index.groups[state.group]);
    if (state.versus) asked.set("versus", state.versus);
    if (state.q) asked.set("q", state.q);
    if (state.only) asked.set("case", state.only);
    if (state.page) asked.set("page", state.page + 1);
    const address = asked.size ? `#cases?${asked}` : "#cases";
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  };

  // ---- filtering ------------------------------------------------------------------------------------------

  const cases = new Map();
  const caseAt = (at) => {
    if (!cases.has(at)) cases.set(at, stored(`case-${at}`));
    return cases.get(at);
  };

  let haystacks = null;
  const haystack = (at) => {
    haystacks ??= new Array(total);
    haystacks[at] ??= ((item) => {
      const words = [item.id, item.group, item.change, ...item.graph];
      for (const question of Object.values(item.questions)) words.push(question.text, ...question.options);
      for (const answers of item.answers) {
        for (const answer of Object.values(answers)) {
          words.push(answer.text ?? "", answer.reason ?? "", answer.program?.program ?? "");
        }
      }
      return words.join("\n").toLowerCase();
    })(stored(`case-${at}`));
    return haystacks[at];
  };

  // "A right, B not" for any two runs, for counterfactual questions, or for factual ones if there are no others. Only
  // cases with a scored reply of both runs match.
  const VERSUS = new Map();
  const place = index.scored_of.some((run) => run.some((bits) => bits & 2)) ? 1 : 0;
  const has = (bits, run, at) => ((bits[run][at] >> place) & 1) === 1;
  index.runs.forEach((first, a) =>
    index.runs.forEach((second, b) => {
      if (a === b) return;
      const holds = (at) => has(index.right_of, a, at) && has(index.scored_of, b, at) && !has(index.right_of, b, at);
      VERSUS.set(`${a}-${b}`, { words: `${first} right, ${second} not`, holds });
    }),
  );

  const runsAsked = () => (state.run >= 0 ? [state.run] : [...index.runs.keys()]);

  const filter = () => {
    const runs = runsAsked();
    const needle = state.q.trim().toLowerCase();
    const counts = new Array(index.outcomes.length).fill(0);
    const found = [];
    let any = 0;
    for (let at = 0; at < total; at += 1) {
      if (state.group >= 0 && index.group_of[at] !== state.group) continue;
      if (state.only && caseAt(at).id !== state.only) continue;
      if (needle && !haystack(at).includes(needle)) continue;
      if (state.versus && !VERSUS.get(state.versus).holds(at)) continue;
      any += 1;
      const outcomes = new Set(runs.map((run) => index.outcomes_of[run][at]));
      for (const outcome of outcomes) counts[outcome] += 1;
      if (state.outcome < 0 || outcomes.has(state.outcome)) found.push(at);
    }
    return { found, counts, any };
  };

  // ---- cards ----------------------------------------------------------------------------------------------

  const pictureData = (at) => {
    if (at !== null && index.addresses[at]) return index.addresses[at];
    const block = at === null ? null : byId(`picture-${at}`);
    return block === null ? null : `data:${block.dataset.mime};base64,${block.textContent}`;
  };

  // Pictures are at the end of the file, after this script, so that cards appear before them.
  const loaded = new Promise((resolve) => {
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", resolve);
    else resolve();
  });

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watcher.unobserve(entry.target);
        loaded.then(() => {
          entry.target.src = pictureData(Number(entry.target.dataset.picture));
        });
      }
    },
    { rootMargin: "400px" },
  );

  // The size of a picture as the model saw it, or which models did not see it.
  const seenAs = (item, side) => {
    const blind = index.runs.filter((_, run) => index.blind[run] || (side && !item.answers[run].shown));
    if (blind.length === index.runs.length) return "not shown to the model";
    if (blind.length) return `not shown to ${blind.join(", ")}`;
    const [width, height] = index.sizes[side ? item.counterfactual_picture : item.picture] ?? [];
    return width ? `${width} × ${height} as the model saw it` : "";
  };

  const picture = (item, side) => {
    const at = side ? item.counterfactual_picture : item.picture;
    if (at === null) return null;
    const words = PICTURES[side];
    const seen = seenAs(item, side);
    const caption = make("figcaption", {}, words, ...(seen ? [make("small", {}, seen)] : []));
    const fault = stored(`fault-${at}`);
    if (fault !== null) {
      return make("figure", {}, make("p", { class: "picture placeholder" }, `No picture: it ${fault}.`), caption);
    }
    const image = make("img", { alt: `The ${words}`, "data-picture": at });
    image.addEventListener("error", () => {
      image.closest("button")?.replaceWith(make("p", { class: "picture placeholder" }, "No picture: it cannot be opened."));
    });
    watcher.observe(image);
    const button = make("button", { type: "button", class: "picture", "aria-label": `Enlarge the ${words}` }, image);
    button.addEventListener("click", () => zoom(item, side));
    return make("figure", {}, button, caption);
  };

  // The causal graph behind a question, in words.
  const graph = ({ picture, graph: edges }) =>
    make(
      "div",
      { class: "graph" },
      ...(picture === null ? [make("p", { class: "placeholder" }, "No picture: this case consists of text and a graph.")] : []),
      make("h4", {}, "Causal graph"),
      make("p", { dir: "auto" }, edges.join("; ")),
    );

  const options = (question) => {
    if (!question.options.length) {
      return make("p", { class: "gold-answer" }, "Right answer: ", make("b", { dir: "auto" }, question.gold));
    }
    return make(
      "ul",
      { class: "options" },
      ...question.options.map((option, place) => {
        const gold = LETTERS[place] === question.gold;
        return make(
          "li",
          { class: gold ? "option gold-option" : "option" },
          make("b", {}, LETTERS[place]),
          make("span", { dir: "auto" }, option),
          ...(gold ? [make("em", {}, "right answer")] : []),
        );
      }),
    );
  };

  const reply = (answer) => {
    const text = answer.text ?? "";
    const cut = (answer.length ?? 0) > text.length;
    if (!text) return answer.reason ? make("p", { class: "reply reason", dir: "auto" }, answer.reason) : null;
    if (!cut && text.length <= LONG && !text.includes("\n")) {
      return make("p", { class: "reply", dir: "auto" }, text);
    }
    const first = text.slice(0, LONG).replace(/\s+/g, " ").replace(/[\ud800-\udbff]$/, "");
    const whole = make("details", { class: "reply" }, make("summary", { dir: "auto" }, `${first} …`));
    whole.addEventListener(
      "toggle",
      () => {
        whole.append(make("p", { class: "whole", dir: "auto", tabindex: 0, role: "group", "aria-label": "The whole reply" }, text));
        if (cut) {
          whole.append(
            make("p", { class: "cut" }, `The first ${number(text.length)} of ${number(answer.length)} characters; the rest is in the run folder.`),
          );
        }
      },
      { once: true },
    );
    return whole;
  };

  const program = (ran) => {
    const calls = ran.calls ?? [];
    const made = calls.length + (ran.unkept ?? 0);
    const called = `${number(made)} ${made === 1 ? "call" : "calls"}`;
    const whole = make("details", { class: "reply program" }, make("summary", {}, `Program, ${called}${ran.failure ? `: ${ran.failure}` : ""}`));
    whole.addEventListener(
      "toggle",
      () => {
        whole.append(make("pre", { tabindex: 0, role: "group", "aria-label": "The program" }, ran.program));
        const listed = calls.map((call) =>
          make("li", {}, make("code", {}, `${call.name}(${call.arguments ?? ""})`), ` → ${call.result ?? ""}`),
        );
        if (listed.length) whole.append(make("ol", { class: "calls" }, ...listed));
        if (ran.unkept) whole.append(make("p", { class: "cut" }, `And ${number(ran.unkept)} more calls that were not recorded.`));
      },
      { once: true },
    );
    return whole;
  };

  const spending = (answer) =>
    [
      answer.finish ? `ended by ${answer.finish}` : "",
      answer.tokens_in || answer.tokens_out ? `${number(answer.tokens_in ?? 0)} + ${number(answer.tokens_out ?? 0)} tokens` : "",
      answer.cost ? `$${answer.cost.toPrecision(2)}` : "",
      answer.seconds ? `${answer.seconds.toFixed(2)} s` : "",
      answer.attempts > 1 ? `${answer.attempts} attempts` : "",
    ]
      .filter(Boolean)
      .join(" · ");

  const answerLine = (item, answer, run) => {
    const line = make(
      "li",
      { class: "answer" },
      make("span", { class: `verdict ${answer.verdict}` }, VERDICTS[answer.verdict]),
      make("span", { class: "who", dir: "auto" }, index.runs[run]),
    );
    if (answer.read != null) line.append(make("span", { class: "read" }, "read as ", make("b", { dir: "auto" }, answer.read)));
    const spent = spending(answer);
    if (spent) line.append(make("span", { class: "read spent" }, spent));
    if (answer.composed) line.append(make("span", { class: "read" }, "computed from the model's own count"));
    const said = reply(answer);
    if (said) line.append(said);
    if (answer.program) line.append(program(answer.program));
    if (answer.sent != null) line.append(request(item.requests[answer.sent]));
    return line;
  };

  // The request as it was sent. Most people never open it, so it is made on opening.
  const request = (words) => {
    const whole = make("details", { class: "reply request" }, make("summary", {}, "The request as it was sent"));
    const fill = () => whole.append(make("p", { class: "whole", dir: "auto", tabindex: 0, role: "group", "aria-label": "The request" }, words));
    whole.addEventListener("toggle", fill, { once: true });
    return whole;
  };

  const asking = (item, key) => {
    const question = item.questions[key];
    if (!question) return null;
    const answers = runsAsked()
      .filter((run) => item.answers[run][key])
      .map((run) => answerLine(item, item.answers[run][key], run));
    return make(
      "div",
      { class: "asking" },
      make("h4", { class: `asking-name ${key}` }, make("span", { "aria-hidden": "true" }, `${ASKINGS[key].sign} `), ASKINGS[key].words),
      make("p", { class: "question", dir: "auto" }, question.text),
      options(question),
      ...(answers.length ? [make("ul", { class: "answers" }, ...answers)] : []),
    );
  };

  const address = (item) => `#cases?case=${encodeURIComponent(item.id)}`;

  // Browsers allow the clipboard only on local pages and over HTTPS; elsewhere, the name of the case is the link.
  const copier = (item) => {
    if (!navigator.clipboard) return [];
    const button = make("button", { type: "button", class: "copier", "aria-label": `Copy link to case ${item.id}` }, "Copy link");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(new URL(address(item), location.href).href);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed by the browser";
      }
    });
    return [button];
  };

  const card = (at) => {
    const item = caseAt(at);
    const title = `card-${at}`;
    const head = make(
      "header",
      {},
      make("h3", { id: title, dir: "auto" }, make("a", { href: address(item), class: "case-link" }, item.id)),
      ...(item.group ? [make("span", { class: "tag", dir: "auto" }, item.group)] : []),
      ...copier(item),
    );
    if (item.change) head.append(make("p", { class: "change", dir: "auto" }, item.change));
    const pictures = [picture(item, 0), picture(item, 1), item.graph.length ? graph(item) : null].filter(Boolean);
    const askings = Object.keys(ASKINGS).map((key) => asking(item, key)).filter(Boolean);
    return make(
      "article",
      { class: "card", "aria-labelledby": title, tabindex: -1 },
      head,
      make(
        "div",
        { class: "case" },
        pictures.length
          ? make("div", { class: "pictures" }, ...pictures)
          : make("p", { class: "placeholder" }, "This case has no picture."),
        make("div", { class: `askings askings-${askings.length}` }, ...askings),
      ),
    );
  };

  // ---- the enlarged picture -------------------------------------------------------------------------------

  const dialog = byId("zoom");
  let zoomed = null;

  const show = (side) => {
    const at = side ? zoomed.counterfactual_picture : zoomed.picture;
    const [width] = index.sizes[at] ?? [];
    byId("zoom-title").textContent = [zoomed.id, PICTURES[side], seenAs(zoomed, side)].filter(Boolean).join(", ");
    byId("zoom-picture").src = pictureData(at);
    // The picture is shown as large as the model saw it, if the window allows; a smaller copy is enlarged.
    byId("zoom-picture").parentElement.style.maxWidth = width ? `${width}px` : "";
    byId("zoom-picture").alt = side && zoomed.change ? `The ${PICTURES[side]}: ${zoomed.change}` : `The ${PICTURES[side]}`;
    for (const button of byId("zoom-switch").children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.side) === side));
    }
  };

  const zoom = (item, side) => {
    zoomed = item;
    byId("zoom-switch").hidden = !(pictureData(item.picture) && pictureData(item.counterfactual_picture));
    show(side);
    dialog.showModal();
  };

  byId("zoom-close").addEventListener("click", () => dialog.close());
  byId("zoom-switch").addEventListener("click", (event) => {
    const side = event.target.dataset.side;
    if (side !== undefined) show(Number(side));
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    if (byId("zoom-switch").hidden) return;
    if (event.key === "ArrowLeft") show(0);
    if (event.key === "ArrowRight") show(1);
  });

  // ---- drawing the page -----------------------------------------------------------------------------------

  const form = byId("filters");
  const radios = [];

  const fillFilters = () => {
    const present = new Set(index.outcomes_of.flat());
    const add = (place, words) => {
      const radio = make("input", { type: "radio", name: "outcome", value: place, id: `outcome-${place}` });
      const tally = make("span", { class: "tally" });
      byId("outcomes").append(make("div", { class: "pill" }, radio, make("label", { for: radio.id }, words, " ", tally)));
      radios.push({ radio, tally, place });
    };
    add(-1, "any");
    index.outcomes.forEach((outcome, place) => present.has(place) && add(place, outcome.words));
    const choices = (id, all, names) => {
      byId(id).append(make("option", { value: -1 }, all), ...names.map((name, place) => make("option", { value: place }, name)));
      byId(id).parentElement.hidden = names.length < 2;
    };
    choices("run", "any run", index.runs);
    byId("versus").append(make("option", { value: "" }, "any"), ...[...VERSUS].map(([key, { words }]) => make("option", { value: key }, words)));
    byId("versus").parentElement.hidden = !VERSUS.size;
    byId("versus").parentElement.firstChild.append(`, ${index.askings[place].key}`);
    const sizes = index.groups.map(() => 0);
    for (const group of index.group_of) sizes[group] += 1;
    choices("group", "all groups", index.groups.map((name, group) => `${name || "(none)"} (${number(sizes[group])})`));
    form.hidden = false;
  };

  const draw = () => {
    const { found, counts, any } = filter();
    const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
    state.page = Math.min(state.page, pages - 1);
    const first = state.page * PER_PAGE;
    const shown = found.slice(first, first + PER_PAGE);
    watcher.disconnect();
    byId("cards").replaceChildren(...shown.map(card));
    for (const { radio, tally, place } of radios) {
      radio.checked = place === state.outcome;
      tally.textContent = number(place < 0 ? any : counts[place]);
    }
    byId("run").value = state.run;
    byId("versus").value = state.versus;
    byId("group").value = state.group;
    if (byId("search").value !== state.q) byId("search").value = state.q;
    byId("status").textContent = found.length
      ? `${number(found.length)} ${found.length === 1 ? "case" : "cases"}, ${number(first + 1)} to ${number(first + shown.length)} shown.${state.only ? " Clear the filters to see the others." : ""}`
      : "No case matches. Clear a filter to see more.";
    byId("pager").hidden = pages < 2;
    byId("page").textContent = `Page ${number(state.page + 1)} of ${number(pages)}`;
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = state.page === pages - 1;
  };

  // Choosing a filter leaves the view of a single case that a link opened.
  const change = (values, step = true) => {
    state = { ...state, page: 0, only: "", ...values };
    draw();
    writeAddress(step);
  };

  const turn = (by) => {
    change({ page: state.page + by });
    byId("status").focus({ preventScroll: true });
    byId("status").scrollIntoView({ block: "start" });
  };

  byId("outcomes").addEventListener("change", (event) => change({ outcome: Number(event.target.value) }));
  byId("run").addEventListener("change", (event) => change({ run: Number(event.target.value) }));
  byId("versus").addEventListener("change", (event) => change({ versus: event.target.value }));
  byId("group").addEventListener("change", (event) => change({ group: Number(event.target.value) }));
  let typing = 0;
  byId("search").addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => change({ q: event.target.value }, !state.q), 150);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    clearTimeout(typing);
    change(fresh());
  });
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  addEventListener("hashchange", () => readAddress() && draw());
  addEventListener("popstate", () => {
    if (!readAddress()) state = fresh();
    draw();
  });

  // ---- figures that can be saved ---------------------------------------------------------------------------

  const save = (blob, name) => {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  for (const button of document.querySelectorAll("[data-save]")) {
    const { drawing, file } = button.parentElement.dataset;
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (button.dataset.save === "svg") {
        const bytes = Uint8Array.from(atob(drawing.split(",")[1]), (sign) => sign.charCodeAt(0));
        save(new Blob([bytes], { type: "image/svg+xml" }), `${file}.svg`);
        return;
      }
      const image = make("img", { src: drawing });
      await image.decode();
      const canvas = make("canvas", { width: image.naturalWidth * 2, height: image.naturalHeight * 2 });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, `${file}.png`));
    });
  }

  if (total) fillFilters();
  const linked = readAddress();
  draw();
  if (linked) byId("cases").scrollIntoView();
})();
