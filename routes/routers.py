"""The routes of the service, but those of the documentation page, which a setting closes."""

from __future__ import annotations

from routes import calculate, chat, evaluate, feedback, health, metrics, sessions, tax_calendar
from routes.administration import audit, domain_parts, domain_trials, domains, gaps, usage
from routes.administration import vectordb as vectordb_admin
from routes.assistants import assistants, pages, recordings
from routes.completions import completions
from routes.documents import actions, documents
from routes.knowledge import articles, vectordb
from routes.mcp import endpoint as mcp
from routes.notices import funding
from routes.users import user_data

_MODULES = (
    chat,
    assistants,
    pages,
    recordings,
    completions,
    mcp,
    evaluate,
    sessions,
    feedback,
    calculate,
    funding,
    tax_calendar,
    usage,
    vectordb,
    articles,
    vectordb_admin,
    health,
    metrics,
    domain_trials,
    domains,
    domain_parts,
    audit,
    gaps,
    documents,
    actions,
    user_data,
)
ROUTERS = tuple(module.router for module in _MODULES)
"""The fixed paths below ``/api/domains`` come before those with a key."""
