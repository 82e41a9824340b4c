// The table of special functions: rows that have all words of the search field, which the address keeps (`?filter=kv`);
// a click on a heading sorts.
const PLAIN = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
const IDLE = new Set("a an derivative derivatives for function functions in of the".split(" "));

document.addEventListener("DOMContentLoaded", () => {
  const words = document.getElementById("hw-words");
  if (!words) return;
  const body = document.querySelector("#hw-table tbody");
  const rows = [...body.rows];
  const texts = rows.map((row) => PLAIN(row.textContent));
  const count = document.getElementById("hw-count");

  const filter = () => {
    const wanted = PLAIN(words.value).split(/\s+/).filter((word) => word && !IDLE.has(word));
    rows.forEach((row, i) => (row.hidden = !wanted.every((word) => texts[i].includes(word))));
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  const keep = () => {
    const address = new URL(location);
    words.value ? address.searchParams.set("filter", words.value) : address.searchParams.delete("filter");
    address.hash = "";
    history.replaceState(null, "", address);
  };
  const sort = (heading, column) => {
    const up = heading.ariaSort !== "ascending";
    document.querySelectorAll("#hw-table th").forEach((other) => other.removeAttribute("aria-sort"));
    heading.ariaSort = up ? "ascending" : "descending";
    const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
    const compare = (a, b) => key(a).localeCompare(key(b), "en", { numeric: true });
    const number = (row) => parseFloat(key(row).replace("inf", "Infinity"));
    const numeric = heading.dataset.kind === "number";
    const order = numeric ? (a, b) => (isNaN(number(a)) - isNaN(number(b))) * (up ? 1 : -1) || number(a) - number(b) : compare;
    body.append(...rows.toSorted((a, b) => (up ? order(a, b) : order(b, a))));
  };

  const search = new URLSearchParams(location.search).get("filter");
  words.value = search ?? decodeURIComponent(location.hash.slice(1).replace(/\+/g, " "));
  words.closest(".hw-filter").hidden = false;
  words.addEventListener("input", () => (filter(), keep()));
  document.querySelectorAll("#hw-table th").forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(heading, column));
    heading.append(button);
  });
  filter();
});
