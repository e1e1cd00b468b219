"""OpenAI's protocols: Chat Completions and Responses."""
