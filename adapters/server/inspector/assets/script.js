// The pages work without this script. It replaces their changing parts in place, so that the
// focus and the scroll positions stay, renders while a slider moves, and adds the keys j and k.
"use strict";

const swapped = "[data-swap]";
const narrow = matchMedia("(max-width: 52rem)"); // the timeline is above the rest
let request; // the last one that was sent
let turn = Promise.resolve(); // of the last key

// show fetches a page and replaces the parts of this one that change.
async function show(url, remember) {
  request?.abort();
  const own = request = new AbortController();
  const view = document.getElementById("view");
  view?.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, { signal: own.signal, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok || !page.querySelector(swapped)) throw new Error("another page");
    swap(page);
    remember(answer.url);
  } catch (error) {
    if (own.signal.aborted) return;
    location.assign(url); // the browser shows what is wrong
  } finally {
    if (request === own) view?.removeAttribute("aria-busy");
  }
}

function swap(page) {
  const focused = document.activeElement?.id;
  const opened = [...document.querySelectorAll("details[id][open]")].map((d) => d.id);
  for (const part of document.querySelectorAll(swapped)) {
    const other = page.getElementById(part.id);
    if (!other) continue;
    const top = part.scrollTop;
    part.replaceChildren(...other.childNodes);
    part.scrollTop = top;
  }
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  reveal();
}

// reveal scrolls the timeline, and nothing else, to the step that is shown.
function reveal() {
  const step = document.querySelector(".timeline [aria-current=step]")?.parentElement;
  const list = document.getElementById("timeline");
  if (!step || list.scrollHeight <= list.clientHeight) return;
  const above = step.getBoundingClientRect().top - list.getBoundingClientRect().top;
  const room = list.clientHeight - step.offsetHeight;
  if (above < 0 || above > room) list.scrollTop += above - room / 2;
}

const go = (url) => show(url, (at) => history.pushState({}, "", at));

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.href).then(() => {
    if (link.closest(".timeline") && narrow.matches) document.getElementById("view").scrollIntoView();
  });
});

addEventListener("popstate", () => {
  if (document.querySelector(swapped)) show(location.href, () => {});
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.metaKey || event.ctrlKey || event.altKey) return;
  const to = { j: "go-next", k: "go-prev" }[event.key];
  if (to) {
    turn = turn.then(() => { // of the page that the key before it showed
      const link = document.getElementById(to);
      return link && go(link.href);
    });
  }
  if (event.key === "/" && document.getElementById("q")) {
    event.preventDefault();
    document.getElementById("q").focus();
  }
});

document.addEventListener("input", (event) => {
  const field = event.target;
  const out = field.type === "range" && document.getElementById(field.id + "-out");
  if (out) out.value = field.value === "0" ? out.dataset.zero : field.value + " tokens";
  const form = field.form;
  if (!form?.hasAttribute("data-live")) return;
  const query = new URLSearchParams(new FormData(form));
  show(form.action + "?" + query, (at) => history.replaceState({}, "", at));
});

reveal();
