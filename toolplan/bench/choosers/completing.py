"""A model of a GGUF file through llama.cpp, which goes on from a prompt with what it finds likeliest, within a grammar or without."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from toolplan.bench.local_model import EXTRA, opened
from toolplan.bench.planner.measuring import processor
from toolplan.retrieval.packages import required

THREADS = 1
"""More would wait for each other: whoever has several cores runs several processes. The number of threads is part of what a choice depends on."""
LOOKED_AT = 64
"""How many of the likeliest tokens are held against a grammar before all are: it looks at each in every way that the text could go on, and
nearly always one of the first fits."""
GRAMMARS = 256
"""Compiled grammars that are remembered."""


class Completion(NamedTuple):
    """What came after a prompt, and in how many tokens."""

    text: str
    tokens: int


class Completer:
    """The model of the file at `path`, decoded greedily by one thread. Raises DomainError where llama.cpp is not installed, or cannot read the file.

    The beginning of a prompt is computed by itself, and only once for prompts in a row that share it. So what comes after depends on the
    prompt alone: numbers that are added up in another order may round differently, and tip a choice.
    """

    def __init__(self, path: Path) -> None:
        self.llama = required("llama_cpp", EXTRA)
        self.model = opened(path, n_threads=THREADS, n_threads_batch=THREADS)
        self._numpy = required("numpy", EXTRA)
        self.details: Mapping[str, str] = {
            "file": _sha256(path),
            "llama.cpp": f"llama-cpp-python {self.llama.__version__}",
            "processor": processor(),
            "threads": str(THREADS),
        }
        self.template: str = self.model.metadata["tokenizer.chat_template"]
        self._beginning: list[int] = []
        self._compiled = lru_cache(GRAMMARS)(self._grammar_of)

    def tokens(self, text: str) -> list[int]:
        """The tokens of a part of a prompt, those that only a template writes among them."""
        return list(self.model.tokenize(text.encode(), add_bos=False, special=True))

    def begin(self, beginning: str) -> list[int]:
        """The tokens of the beginning of a prompt; they and nothing else have been computed when this returns."""
        tokens = self.tokens(beginning)
        if tokens != self._beginning:
            self.model.reset()
            self.model.eval(tokens)
            self._beginning = tokens
        self.model.n_tokens = len(tokens)
        return tokens

    def complete(self, rest: Sequence[int], schema: str, longest: int) -> Completion:
        """What comes after the beginning and `rest`, in at most `longest` tokens: JSON of `schema`, or anything where that is empty."""
        self.model.eval(rest)
        said = list(self._said(schema, longest))
        return Completion(self.model.detokenize(said).decode("utf-8", "replace"), len(said))

    def logits(self) -> Any:
        """What the model thinks of each token as the next: an array of C."""
        return self.llama.llama_get_logits_ith(self.model.ctx, -1)

    def _said(self, schema: str, longest: int) -> Iterator[int]:
        sampler = self._sampler(schema)
        vocabulary = self.llama.llama_model_get_vocab(self.model.model)
        try:
            for _ in range(longest):
                token = self._likeliest(sampler)
                if self.llama.llama_vocab_is_eog(vocabulary, token):
                    return
                if sampler is not None:
                    self.llama.llama_sampler_accept(sampler, token)
                yield token
                self.model.eval([token])
        finally:
            if sampler is not None:
                self.llama.llama_sampler_free(sampler)

    def _likeliest(self, sampler: Any) -> int:
        """The likeliest token that fits; of equal ones the first."""
        numpy = self._numpy
        logits = numpy.ctypeslib.as_array(self.logits(), shape=(self.model.n_vocab(),))
        if sampler is None:
            return int(logits.argmax())
        first = numpy.argpartition(-logits, LOOKED_AT)[:LOOKED_AT]
        for looked_at in (first, numpy.arange(len(logits))):
            ordered = looked_at[numpy.lexsort((looked_at, -logits[looked_at]))]
            fitting = self._fitting(sampler, ordered, logits)
            if fitting:
                return fitting[0]
        raise AssertionError("a grammar always has a way to go on")

    def _fitting(self, sampler: Any, tokens: Any, logits: Any) -> list[int]:
        """Those of `tokens` with which the text may go on, in their order."""
        candidates = (self.llama.llama_token_data * len(tokens))(
            *(self.llama.llama_token_data(id=int(token), logit=float(logits[token]), p=0.0) for token in tokens)
        )
        array = self.llama.llama_token_data_array(data=candidates, size=len(tokens), selected=-1, sorted=False)
        self.llama.llama_sampler_apply(sampler, ctypes.byref(array))
        return [candidate.id for candidate in candidates if candidate.logit != float("-inf")]

    def _sampler(self, schema: str) -> Any:
        if not schema:
            return None
        vocabulary = self.llama.llama_model_get_vocab(self.model.model)
        return self.llama.llama_sampler_init_grammar(vocabulary, self._compiled(schema), b"root")

    def _grammar_of(self, schema: str) -> bytes:
        return str(self.llama.LlamaGrammar.from_json_schema(schema, verbose=False)._grammar).encode()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
