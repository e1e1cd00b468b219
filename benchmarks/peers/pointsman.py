"""The product: Agent.run, its journal in a file."""
import os, tempfile

from pointsman import Agent, AssistantMessage, Limits, ModelSpec, Risk, TextDelta, UserMessage, tool


async def run(job):
    def setup():
        os.environ["BENCH_KEY"] = job.api_key
        spec = ModelSpec(use="compatible", name=job.model, base_url=job.base_url, key_env="BENCH_KEY")
        history = [(UserMessage if m["role"] == "user" else AssistantMessage)(text=m["content"]) for m in job.history]
        journal = os.path.join(tempfile.mkdtemp(prefix="bench-journal-"), "journal.db")
        return Agent("bench", instructions=job.system, model=spec, limits=Limits(calls_per_turn=16), journal=journal,
                     synchronous=os.environ.get("JOURNAL_SYNC", "normal"),  # as the harness's own prototypes
                     tools=[tool(risk=Risk.READ)(f) for f in job.tools]), history
    agent, history = job.once(setup)
    if not job.stream:
        return (await agent.run(job.prompt, history=history)).text

    def on_delta(delta):
        if isinstance(delta, TextDelta):
            job.on_token(delta.text)
    return (await agent.run(job.prompt, history=history, on_delta=on_delta)).text
