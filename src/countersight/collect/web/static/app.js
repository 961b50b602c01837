// What makes the pages quicker to use; all of them work without it.
"use strict";

const form = document.getElementById("task");
const faults = document.getElementById("faults");
if (faults) faults.focus();
else if (form) form.querySelector("input:not([type=hidden]), textarea, select")?.focus({ preventScroll: true });

if (form) {
  const key = "countersight draft " + form.dataset.keep;
  const fields = () => [...form.elements].filter((field) => field.name && field.type !== "hidden");

  // Ctrl + Enter (or Command + Enter) sends the form one is in, such as the flag; no single letter does anything.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      const own = event.target.form ?? form;
      own.requestSubmit(own === form ? document.getElementById("send") : null);
    }
  });

  // Fields that another answer makes superfluous are hidden; the server does not read them either.
  const hide = () => form.querySelectorAll("[data-when]").forEach((field) => {
    const chosen = form.querySelector(`[name="${field.dataset.when}"]:checked`);
    field.hidden = !field.dataset.values.split(" ").includes(chosen && !chosen.closest("[hidden]") ? chosen.value : "");
  });
  form.addEventListener("change", hide);

  // How long the page was looked at, and how much of the text was pasted: told to the worker, shown to reviewers.
  let seconds = 0, pasted = 0;
  setInterval(() => {
    if (!document.hidden) document.getElementById("seconds").value = ++seconds;
  }, 1000);
  form.addEventListener("paste", (event) => {
    pasted += (event.clipboardData || { getData: () => "" }).getData("text").length;
    const typed = fields().reduce((sum, field) => sum + (field.tagName === "TEXTAREA" ? field.value.length : 0), 0);
    document.getElementById("pasted").value = Math.min(1, pasted / Math.max(1, typed + pasted)).toFixed(3);
  });

  // A copy in this browser of what the server has not acknowledged. Each copy and each draft carries the time of the last
  // letter in it (on the server's clock), so that of the two the newer one can be shown.
  const clock = Number(form.dataset.now) * 1000 - Date.now();
  const typed = document.getElementById("typed");
  const saved = document.getElementById("saved");
  const boxed = (field) => field.type === "radio" || field.type === "checkbox";
  const read = () => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const keep = () => {
    const values = fields().map((field) => [field.name, field.value, boxed(field) ? field.checked : true]);
    try { localStorage.setItem(key, JSON.stringify({ typed: Number(typed.value), values })); return true; } catch { return false; }
  };
  const changed = () => { typed.value = Math.round(Date.now() + clock); keep(); };
  const copy = read();
  if (copy && copy.typed > Number(typed.value)) {
    copy.values.forEach(([name, value, on]) => fields().forEach((field) => {
      if (field.name !== name) return;
      if (!boxed(field)) field.value = value;
      else if (field.value === value) field.checked = on;
    }));
    typed.value = copy.typed;
    saved.textContent = form.dataset.restored;
    window.addEventListener("load", () => form.dispatchEvent(new Event("change", { bubbles: true })));
  } else if (copy) localStorage.removeItem(key);
  hide();
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.target !== saved) return;
    if (event.detail.successful) {
      const sent = Number(event.detail.requestConfig.parameters.typed);
      const now = read();
      if (now && now.typed <= sent) localStorage.removeItem(key);
      return;
    }
    const status = event.detail.xhr.status;
    const refused = status >= 400 && status < 500 && status !== 401;
    const why = status === 401 ? "login" : refused ? "refused" : status ? "error" : "away";
    saved.textContent = form.dataset[why] + " " + (refused ? event.detail.xhr.responseText + " " : "") + form.dataset[keep() ? "kept" : "unkept"];
  });
}

// Zoom and pan: buttons make a picture larger inside its frame; it is moved by dragging, scrolling or the arrow keys.
document.querySelectorAll(".picture.zooms").forEach((figure) => {
  const frame = figure.querySelector(".frame"), image = frame.querySelector("img"), [out, into] = figure.querySelectorAll("button");
  let factor = 1, from = null;
  const zoom = (wanted) => {
    factor = Math.min(8, Math.max(1, wanted));
    image.style.width = 100 * factor + "%";
    image.style.maxHeight = factor === 1 ? "" : "none";
    frame.classList.toggle("zoomed", factor > 1);
    out.disabled = factor === 1;
  };
  figure.querySelector(".zoom").hidden = false;
  out.addEventListener("click", () => zoom(factor / 1.5));
  into.addEventListener("click", () => zoom(factor * 1.5));
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(factor * (event.deltaY < 0 ? 1.2 : 1 / 1.2));
  }, { passive: false });
  frame.addEventListener("pointerdown", (event) => { if (factor > 1 && event.pointerType === "mouse") from = [event.clientX + frame.scrollLeft, event.clientY + frame.scrollTop]; });
  frame.addEventListener("pointermove", (event) => { if (from) { event.preventDefault(); frame.scrollTo(from[0] - event.clientX, from[1] - event.clientY); } });
  addEventListener("pointerup", () => { from = null; });
  image.draggable = false;
  zoom(1);
});

// What the server has acknowledged needs no copy here.
document.querySelectorAll("[data-acknowledged]").forEach((each) => {
  try { localStorage.removeItem("countersight draft " + each.dataset.acknowledged); } catch { /* there is no store */ }
});

// Marking an object: the mouse draws a box, and the four numbers say the same for the keyboard.
const marking = document.getElementById("marking");
if (marking) {
  marking.hidden = false;
  const box = document.getElementById("box");
  const sides = ["left", "top", "width", "height"].map((name) => document.getElementById(name));
  const radios = [...form.querySelectorAll("input[name=picture]")];
  const show = () => {
    sides.forEach((side) => { box.style[side.name] = (side.value || 0) + "%"; });
    box.hidden = !(Number(sides[2].value) && Number(sides[3].value));
    const chosen = radios.find((radio) => radio.checked);
    document.querySelectorAll("[data-picture]").forEach((figure) => {
      figure.classList.toggle("chosen", Boolean(chosen) && figure.dataset.picture === chosen.value);
    });
    if (chosen) marking.querySelector("img").src = "/pictures/" + chosen.value;
  };
  const place = (event) => {
    const frame = marking.getBoundingClientRect();
    const within = (value) => Math.round(Math.min(100, Math.max(0, value)));
    return [within(100 * (event.clientX - frame.left) / frame.width), within(100 * (event.clientY - frame.top) / frame.height)];
  };
  let begun = null;
  marking.addEventListener("pointerdown", (event) => { begun = place(event); marking.setPointerCapture(event.pointerId); });
  marking.addEventListener("pointermove", (event) => {
    if (!begun) return;
    const now = place(event);
    sides[0].value = Math.min(begun[0], now[0]); sides[1].value = Math.min(begun[1], now[1]);
    sides[2].value = Math.abs(begun[0] - now[0]); sides[3].value = Math.abs(begun[1] - now[1]);
    show();
  });
  marking.addEventListener("pointerup", () => { begun = null; form.dispatchEvent(new Event("input", { bubbles: true })); });
  sides.forEach((side) => side.addEventListener("input", show));
  radios.forEach((radio) => radio.addEventListener("change", () => {
    if (!marking.querySelector("img").src.endsWith(radio.value)) sides.forEach((side) => { side.value = ""; }); // of another picture
    show();
  }));
  document.querySelectorAll("[data-picture]").forEach((figure) => figure.addEventListener("click", () => {
    radios.find((radio) => radio.value === figure.dataset.picture).click();
  }));
  show();
}
