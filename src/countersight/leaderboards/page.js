"use strict";
// Sorting and filtering of the tables. Rows are moved, never made: no string is ever parsed as HTML.
(() => {
  const byId = (id) => document.getElementById(id);
  const [kind, search, status] = ["kind", "search", "status"].map(byId);
  const boards = [...document.querySelectorAll("table.board")].map((table) => ({
    table,
    heads: [...table.tHead.rows[0].cells],
    pools: [...table.tBodies].map((body) => ({ body, rows: [...body.rows].slice(1) })),
    sorted: null, // which column, and whether downwards
  }));

  const value = (row, column, numeric) => {
    const held = row.cells[column].dataset.value;
    if (held === undefined || held === "") return null;
    return numeric ? Number(held) : held.toLowerCase();
  };

  const order = (rows, column, numeric, down) => {
    const keyed = rows.map((row, place) => ({ row, place, key: value(row, column, numeric) }));
    keyed.sort((one, other) => {
      if (one.key === null || other.key === null) {
        // what has no figure stands last, whichever way the rows are sorted
        return (one.key === null) - (other.key === null) || one.place - other.place;
      }
      const way = numeric ? one.key - other.key : one.key.localeCompare(other.key);
      return (down ? -way : way) || one.place - other.place;
    });
    return keyed.map(({ row }) => row);
  };

  const arrange = (board) => {
    const sorted = (rows) => {
      if (board.sorted === null) return rows;
      const { column, down } = board.sorted;
      return order(rows, column, board.heads[column].dataset.sort === "number", down);
    };
    for (const { body, rows } of board.pools) {
      body.append(...sorted(rows));
      body.hidden = rows.every((row) => row.hidden);
    }
  };

  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const board of boards) {
      for (const { rows } of board.pools) {
        for (const row of rows) {
          const words = row.cells[0].textContent.toLowerCase();
          row.hidden = !((kind.value === "" || row.classList.contains(kind.value)) && words.includes(wanted));
          shown += !row.hidden;
        }
      }
      arrange(board);
    }
    return shown;
  };

  const told = (board) => {
    const { column, down } = board.sorted;
    const what = board.heads[column].textContent;
    return `Sorted by ${what}, ${down ? "highest first" : "lowest first"}, within each dataset and paper.`;
  };

  for (const board of boards) {
    for (const [column, head] of board.heads.entries()) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const numeric = head.dataset.sort === "number";
        const before = board.sorted;
        // Figures begin with the highest; tiers and names with the first.
        const natural = numeric && head.textContent !== "tier";
        const down = before !== null && before.column === column ? !before.down : natural;
        board.sorted = { column, down };
        for (const other of board.heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        arrange(board);
        status.textContent = told(board);
      });
    }
  }

  const filtered = () => {
    const shown = filter();
    status.textContent = shown === 0 ? "No row matches. Clear a filter to see more." : "";
  };
  kind.addEventListener("change", filtered);
  search.addEventListener("input", filtered);
  byId("choices").addEventListener("submit", (event) => event.preventDefault());
  byId("choices").hidden = false;
})();
