"""The state of a conversation about notices, as clients keep it that have no ``session_id``."""

from __future__ import annotations

from schemas.chat import LONGEST_MESSAGE, MOST_MESSAGES, ChatRequest, SessionState, Turn


def with_turn(state: SessionState, request: ChatRequest, content: str) -> SessionState:
    """Return the state with the conversation up to this answer, of which the last ten turns stay."""
    asked = Turn.model_construct(role="user", content=request.message)
    told = [Turn.model_construct(role="assistant", content=content[:LONGEST_MESSAGE])] if content else []
    return state.model_copy(update={"chat_history": [*request.history, asked, *told][-MOST_MESSAGES:]})


def with_told_history(request: ChatRequest) -> ChatRequest:
    """Return a request whose history is that of its state, unless it names one itself."""
    state = request.session_state
    if state is None or request.history or not state.chat_history:
        return request
    return request.model_copy(update={"history": list(state.chat_history)})
