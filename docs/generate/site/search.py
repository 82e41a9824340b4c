"""Words with accents are found without them, too: Sérsic as Sersic."""

from __future__ import annotations

import unicodedata

from sphinx.search.en import SearchEnglish


class Folded(SearchEnglish):
    def split(self, input: str) -> list[str]:
        words = super().split(input)
        return words + [plain for word in words if (plain := folded(word)) != word]


def folded(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))
