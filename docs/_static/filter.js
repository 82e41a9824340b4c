// Hides the rows of the table of special functions that do not have all words of the search field.
document.addEventListener("DOMContentLoaded", () => {
  const words = document.getElementById("hw-words");
  if (!words) return;
  const rows = [...document.querySelectorAll("#hw-table tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const count = document.getElementById("hw-count");
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, i) => (row.hidden = !wanted.every((word) => texts[i].includes(word))));
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  words.value = decodeURIComponent(location.hash.slice(1).replace(/\+/g, " "));
  words.addEventListener("input", filter);
  filter();
});
