"use strict";
// Sorts a table when a heading is clicked.
(() => {
  const ASCENDING_FIRST = ["tier", "rank"];

  // The number at the start of a cell, or its text; null if it has neither. Names are never numbers.
  const valueOf = (row, column) => {
    const words = row.cells[column]?.firstChild?.textContent?.trim() ?? "";
    if (words === "" || words === "–") return null;
    const value = column ? Number.parseFloat(words.replace(/,/g, "").replace("−", "-")) : Number.NaN;
    return Number.isNaN(value) ? words.toLowerCase() : value;
  };

  const compare = (one, other) => {
    if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
    return typeof one === "number" ? one - other : one.localeCompare(other);
  };

  const sort = (table, head, column) => {
    const rows = [...table.tBodies[0].rows];
    const keys = new Map(rows.map((row) => [row, valueOf(row, column)]));
    const numeric = [...keys.values()].some((key) => typeof key === "number");
    const before = head.getAttribute("aria-sort");
    const down = before ? before === "ascending" : numeric && !ASCENDING_FIRST.includes(head.textContent);
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const isLast = (row) => row.matches(".total, .reported") && !table.matches(".all-reported");
    rows.sort((one, other) => {
      const [x, y] = [keys.get(one), keys.get(other)];
      // Totals and rows of papers stay below the others, and rows without a figure below those with one.
      if (isLast(one) || isLast(other)) return isLast(one) - isLast(other);
      if (x === null || y === null) return (x === null) - (y === null);
      return down ? compare(y, x) : compare(x, y);
    });
    table.tBodies[0].append(...rows);
  };

  for (const table of document.querySelectorAll("table")) {
    const rows = [...(table.tBodies[0]?.rows ?? [])];
    if (rows.length < 3 || !table.tHead) continue;
    if (rows.every((row) => row.matches(".reported"))) table.classList.add("all-reported");
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sorter";
      button.append(...head.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, head, column));
    });
  }
})();
