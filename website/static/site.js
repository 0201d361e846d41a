"use strict";
// What pages do beside being read: the choice of colours, copying, Compare's columns, filters, sorting, search.

const root = new URL(document.currentScript.dataset.root, location.href);
const memory = {  // what a reader chose last; a browser may forbid it
  get(key) { try { return localStorage.getItem("rosetta-" + key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem("rosetta-" + key, value); } catch { /* not kept */ } },
};
document.documentElement.classList.add("js");
const themed = () => { if (memory.get("theme")) document.documentElement.dataset.theme = memory.get("theme"); };
themed();

const say = (text) => { document.getElementById("said").textContent = text; };
const query = () => new URLSearchParams(location.search);
const address = (values) => {  // this page's address with {name: value}, those without a value left out
  const pairs = Object.entries(values).filter(([, value]) => value);
  return location.pathname + (pairs.length ? "?" + new URLSearchParams(pairs) : "");
};

const leave = (url, field) => {  // to the page that is chosen in a field, which keeps the focus there: see the last lines
  memory.set("field", field.name || field.dataset.go);
  location.assign(url);
};

function colours() {
  const dark = matchMedia("(prefers-color-scheme: dark)"), chosen = document.documentElement.dataset;
  document.getElementById("theme").addEventListener("click", () => {
    chosen.theme = (chosen.theme || (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
    memory.set("theme", chosen.theme);
    say(chosen.theme);
  });
}

function copying() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const code = button.closest(".code").querySelector("code");
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {  // without https: it is selected for the reader's own Ctrl-C
      getSelection().selectAllChildren(code);
      done = "Press Ctrl-C";
    }
    button.textContent = done;
    say(done);
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

// ---------------------------------------------------------------- Compare
function compare(main) {
  const { workload, left, right } = main.dataset, places = ["left", "right", "third"], pages = new Map();
  const form = main.querySelector(".choice"), known = new Map([...form.left.options].map((o) => [o.value, o.text]));
  let shown = [left, right].join(), drawn = shown;  // what is chosen, and what the columns are: one is fetched

  const lesson = (name) => {  // its page, fetched once
    const url = new URL(`lessons/${workload}/${name}/`, root);
    if (!pages.has(name)) pages.set(name, fetch(url).then(async (answer) => {
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const link of page.querySelectorAll("main a[href]")) link.href = new URL(link.getAttribute("href"), url);
      return page;
    }).catch((error) => {
      pages.delete(name);  // the next time it may be there
      throw error;
    }));
    return pages.get(name);
  };
  const cells = (page, tag) => {  // [{texts, code, id}] of a tag, each with the texts directly before it
    const found = [];
    if (tag === "next") {
      const texts = [...page.querySelectorAll("#next ~ .text")];
      return texts.length ? [{ texts, id: "next" }] : [];
    }
    for (const section of page.querySelectorAll("main > section")) {
      let texts = [];
      for (const item of section.children) {
        if (item.matches(".text")) texts.push(item);
        if (item.matches(".cell")) {
          if (item.dataset.tag === tag) found.push({ texts, code: item.querySelector("code"), id: item.id });
          texts = [];
        }
      }
    }
    return found;
  };
  const side = (name, cell, title, first) => {  // as macros.html has it
    const made = main.querySelector("#side").content.firstElementChild.cloneNode(true);
    const link = new URL(`lessons/${workload}/${name}/`, root), heading = made.querySelector("h3");
    made.dataset.framework = name;
    heading.firstElementChild.href = link;
    heading.firstElementChild.textContent = known.get(name);
    heading.classList.toggle("away", !first);
    if (!first) heading.replaceChildren(known.get(name));  // a link that cannot be seen is not reached by keyboard, either
    const texts = (cell?.texts || []).map((text) => document.importNode(text, true)), prose = made.querySelector(".prose");
    if (cell?.code) {
      made.querySelector("code").replaceChildren(...document.importNode(cell.code, true).childNodes);
      made.querySelector(".tools a").href = `${link}#${cell.id}`;
      for (const tool of made.querySelectorAll(".tools > *")) {
        tool.setAttribute("aria-label", tool.getAttribute("aria-label").replace("LABEL, TITLE", `${title}, ${known.get(name)}`));
      }
      if (texts.length) prose.firstElementChild.replaceChildren(prose.querySelector("summary"), ...texts);
      else prose.replaceChildren();
    } else {
      made.replaceChildren(heading, ...texts);
      if (!cell && first) made.insertAdjacentHTML("beforeend", '<p class="none">This lesson has no such cell.</p>');
    }
    return made;
  };
  const draw = async (names) => {
    const docs = await Promise.all(names.map(lesson));
    if (names.join() !== shown) return;  // another choice came in between
    for (const row of main.querySelectorAll(".row")) {
      const title = row.querySelector("h2").firstChild.textContent.trim();
      const sides = docs.map((page) => cells(page, row.dataset.tag));
      const count = Math.max(1, ...sides.map((found) => found.length));
      for (const pair of row.querySelectorAll(".pair")) pair.remove();
      for (let k = 0; k < count; k++) {
        const pair = document.createElement("div");
        pair.className = "pair";
        pair.append(...names.map((name, n) => side(name, sides[n][k], title, k === 0)));
        row.append(pair);
      }
    }
    main.querySelector(".names").textContent = names.map((name) => known.get(name)).join(names.length > 2 ? ", " : " and ");
    document.title = main.querySelector("h1").textContent;
    drawn = shown;
    texts();
  };
  const warn = (text) => {
    const note = document.getElementById("lacking");
    note.hidden = !text;
    note.textContent = text;
    if (text) say(text);
  };
  const texts = () => { for (const part of main.querySelectorAll(".prose details")) part.open = form.text.checked; };
  const failed = () => {  // the choice is again that of the columns
    shown = drawn;
    places.forEach((place, k) => { form[place].value = drawn.split(",")[k] || ""; });
    warn("The lessons could not be loaded: the columns are those of before.");
  };
  const show = async (choice) => {
    for (const place of places) form[place].value = choice[place] || "";
    const names = places.map((place) => choice[place]).filter(Boolean);
    if (names.join() !== shown) {
      shown = names.join();
      try { await draw(names); } catch { if (names.join() === shown) failed(); }
    }
  };
  const read = () => {  // the choice in the address, or the one remembered, as far as this workload has it
    const asked = query(), none = !places.some((place) => asked.has(place));
    const kept = none && !("pair" in main.dataset) ? JSON.parse(memory.get("compare") || "{}") : {}, lacking = [];
    const choice = Object.fromEntries(places.map((place) => {
      const name = asked.get(place) || kept[place];
      if (name && !known.has(name) && asked.has(place)) lacking.push(name);
      return [place, known.has(name) ? name : { left, right }[place] || ""];
    }));
    if (choice.left === choice.right) choice.right = [left, right, ...known.keys()].find((name) => name !== choice.left) || right;
    warn(lacking.length ? `Without a lesson of this workload: ${lacking.join(", ")}.` : "");
    return choice;
  };
  const go = (choice, field) => {
    memory.set("compare", JSON.stringify(choice));
    const base = new URL(`compare/${form.workload.value}/?`, root) + new URLSearchParams(Object.entries(choice).filter(([, v]) => v));
    if (form.workload.value !== workload || "pair" in main.dataset) return leave(base + location.hash, field);
    history.pushState(null, "", base + location.hash);
    show(read());
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    if (event.target === form.text) return memory.set("text", form.text.checked ? "1" : ""), texts();
    const choice = Object.fromEntries(places.map((place) => [place, form[place].value]));
    const before = shown.split(",");
    if (choice.left === choice.right) choice[event.target.name === "left" ? "right" : "left"] = before[event.target.name === "left" ? 0 : 1];
    if ([choice.left, choice.right].includes(choice.third)) choice.third = "";
    go(choice, event.target);
  });
  form.swap.addEventListener("click", () => go({ left: form.right.value, right: form.left.value, third: form.third.value }, form.swap));
  addEventListener("popstate", () => show(read()));
  addEventListener("pageshow", (event) => { if (event.persisted) show(read()); });
  form.text.checked = memory.get("text") === "1";
  const choice = read();  // in the address from the start, so that the way back leads to it
  if (!("pair" in main.dataset)) history.replaceState(null, "", address(choice) + location.hash);
  texts();
  show(choice);
}

// ---------------------------------------------------------------- tables
function filters(main) {
  const form = main.querySelector(".filter");
  if (!form) return;
  const fields = [...form.elements].filter((field) => field.name), status = form.querySelector("[role=status]");
  const apply = () => {
    const want = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    const words = (want.words || "").toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const part of main.querySelectorAll("[data-precision]")) part.hidden = !!want.precision && part.dataset.precision !== want.precision;
    for (const row of main.querySelectorAll("[data-row]:not(g)")) {
      const text = `${row.textContent} ${row.dataset.words || ""}`.toLowerCase();
      const fits = (!want.era || row.dataset.era === want.era) && words.every((word) => text.includes(word));
      row.hidden = !fits;
      const part = row.closest("[data-precision]"), curves = `g[data-row="${CSS.escape(row.dataset.row)}"]`;
      for (const curve of part ? part.querySelectorAll(curves) : []) curve.toggleAttribute("hidden", !fits);  // no property in SVG
      count += fits && row.localName === "tr" && !row.closest("[data-precision][hidden]");
    }
    for (const group of main.querySelectorAll("[data-group]")) group.hidden = !group.querySelector("[data-row]:not([hidden])");
    status.textContent = count === 1 ? "1 line" : `${count} lines`;
    history.replaceState(null, "", address({ ...Object.fromEntries(query()), ...want }) + location.hash);
  };
  for (const field of fields) {
    if (query().has(field.name)) field.value = query().get(field.name);
    if (field.selectedIndex === -1) field.value = "";  // another machine has that one
  }
  for (const choice of form.querySelectorAll("[data-go]")) {  // each value is a page
    choice.addEventListener("change", () => leave(choice.value + location.search, choice));
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  apply();
}

function sorting(main) {
  const sort = (header, direction) => {
    const column = header.cellIndex, body = header.closest("table").tBodies[0], sign = direction === "ascending" ? 1 : -1;
    const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (!x || !y) return !x - !y;  // what has no figure stands last
      return sign * (isNaN(x) || isNaN(y) ? x.localeCompare(y, undefined, { numeric: true }) : x - y);
    };
    for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", direction);
    body.append(...[...body.rows].sort(order));
  };
  for (const header of main.querySelectorAll("table.sortable thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    const apply = (direction) => {
      for (const table of main.querySelectorAll("table.sortable")) {
        const same = [...table.tHead.rows[0].cells].find((th) => th.textContent === header.textContent);
        if (same) sort(same, direction);
      }
    };
    button.addEventListener("click", () => {
      const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      apply(direction);
      history.replaceState(null, "", address({ ...Object.fromEntries(query()), sort: header.textContent, order: direction }) + location.hash);
    });
    if (query().get("sort") === header.textContent) apply(query().get("order") === "descending" ? "descending" : "ascending");
  }
  main.addEventListener("toggle", (event) => {  // an opened remark widens its column, perhaps beyond the edge
    if (event.target.open && event.target.closest(".sortable")) event.target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, true);
}

// ---------------------------------------------------------------- search
function search(main) {
  const input = main.querySelector("input"), status = main.querySelector(".count"), list = main.querySelector(".found"), most = 10;
  const load = async () => {
    status.textContent = "The index is being loaded …";
    const pagefind = await import(new URL("pagefind/pagefind.js", root));
    const metaWeights = { title: 5, words: 8, kind: 0, asked: 0, image_alt: 0 };  // as in search.py and phrase.html
    await pagefind.options({ baseUrl: root.pathname, ranking: { metaWeights } });
    return pagefind;
  };
  const link = (url, text) => Object.assign(document.createElement("a"), { href: url, textContent: text });
  const excerpt = (text) => {  // its words, and marks around those searched for: nothing else of it becomes HTML
    const line = document.createElement("p"), parsed = new DOMParser().parseFromString(text, "text/html").body;
    for (const part of parsed.childNodes) {
      const made = part.nodeName === "MARK" ? document.createElement("mark") : document.createTextNode(part.textContent);
      if (part.nodeName === "MARK") made.textContent = part.textContent;
      line.append(made);
    }
    return line;
  };
  let turn = 0, pause, pagefind;  // which is loaded for the first words
  const ask = async (words) => (await (await pagefind).search(words.replace(/(\w[.(])(?=[A-Za-z_])/g, "$1 "))).results;  // as spread() has it
  const find = async () => {
    const mine = ++turn, words = input.value.trim();
    history.replaceState(null, "", address({ q: words }));
    if (words) pagefind ||= load();
    let found = words ? await ask(words) : [];
    const all = found.length > 0, each = words.split(/\s+/);
    if (!all && each.length > 2 && each.length <= 12) {  // each page once, by its best result
      const tries = await Promise.all(each.map((_, k) => ask(each.filter((_, other) => other !== k).join(" "))));
      const best = new Map();
      for (const result of tries.flat()) if (!(best.get(result.id)?.score >= result.score)) best.set(result.id, result);
      found = [...best.values()].sort((a, b) => b.score - a.score);
    }
    const pages = await Promise.all(found.slice(0, most).map((result) => result.data()));
    if (mine !== turn) return;
    list.replaceChildren(...pages.map((page) => {
      const item = document.createElement("li"), best = page.sub_results.find((part) => part.url !== page.url);
      item.append(link(page.url, page.meta.title.replace(/ · .*/, "")), ` (${page.meta.kind})`);
      if (best) item.append(": ", link(best.url, best.title.replace(/ #$/, "")));
      item.append(excerpt((best || page).excerpt));
      return item;
    }));
    const count = `${found.length} page${found.length === 1 ? "" : "s"}` + (found.length > most ? `, the first ${most} shown` : "");
    if (!words) status.textContent = "";
    else if (all) status.textContent = count;
    else status.textContent = found.length ? `No page has all of these words. All but one: ${count}` : "No page has all of these words: try fewer, or other ones.";
  };
  const look = () => find().catch(() => {
    pagefind = null;
    status.textContent = "The search could not be loaded.";
  });
  input.value = query().get("q") || "";
  input.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(look, 200);
  });
  input.form.addEventListener("submit", (event) => event.preventDefault());
  input.focus();
  look();
}

document.addEventListener("DOMContentLoaded", () => {
  const main = document.getElementById("main");
  colours();
  copying();
  filters(main);
  sorting(main);
  if (main.dataset.page === "compare") compare(main);
  if (main.dataset.page === "search") search(main);
  const left = memory.get("field");
  memory.set("field", "");
  if (left) main.querySelector(`[name="${left}"], [data-go="${left}"]`)?.focus({ preventScroll: true });
  addEventListener("pageshow", () => {  // on the way back a page is shown as it was left: with the choice that led away
    themed();
    for (const page of main.querySelectorAll("[name=workload], [data-go]")) page.value = page.querySelector("[selected]").value;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    event.preventDefault();
    document.querySelector(".find input").focus();
  });
});
