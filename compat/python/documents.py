"""Prints every GraphQL document that the installed literalai has, as one JSON object by name."""

import importlib
import importlib.util
import json
import re

name = next(
    name
    for name in ["literalai.api.gql", "literalai.api.helpers.gql"]
    if importlib.util.find_spec(name.rpartition(".")[0]) and importlib.util.find_spec(name)
)
module = importlib.import_module(name)
documents = {}
for name, value in vars(module).items():
    if isinstance(value, str) and re.match(r"\s*(query|mutation)\b", value):
        documents[name] = value
    elif callable(value) and name.endswith("_query_builder"):
        documents[name] = value([{}, {}])
print(json.dumps(documents))
