// The table of special functions: DataTables sorts it and finds its rows; the address keeps the words (`?filter=kv`).
import { jQuery } from "./dt_bundle.js";

const IDLE = new Set("a an derivative derivatives for function functions in of the".split(" "));
const field = document.getElementById("hw-words");
const count = document.getElementById("hw-count");
const table = jQuery("#hw-table").DataTable({ paging: false, order: [], autoWidth: false, layout: {
  topStart: null, topEnd: null, bottomStart: null, bottomEnd: null,
} });

const filter = () => {
  const words = field.value.split(/\s+/).filter((word) => !IDLE.has(word.toLowerCase()));
  table.search(words.join(" ")).draw();
  const { recordsDisplay, recordsTotal } = table.page.info();
  count.textContent = `${recordsDisplay} of ${recordsTotal}`;
};
const keep = () => {
  const address = new URL(location);
  field.value ? address.searchParams.set("filter", field.value) : address.searchParams.delete("filter");
  address.hash = "";
  history.replaceState(null, "", address);
};

const given = new URLSearchParams(location.search).get("filter");
field.value = given ?? decodeURIComponent(location.hash.slice(1).replace(/\+/g, " "));
field.closest(".hw-filter").hidden = false;
field.addEventListener("input", () => (filter(), keep()));
filter();
