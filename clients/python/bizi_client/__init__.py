"""A typed client of Bizi RAG: every route of its HTTP API (`bizi_client.generated`), and answers as they are written (`stream`)."""

from bizi_client.connection import Client, connect
from bizi_client.errors import ProblemError, answered
from bizi_client.streaming import AnswerEvent, astream, stream

__all__ = ["AnswerEvent", "Client", "ProblemError", "answered", "astream", "connect", "stream"]
