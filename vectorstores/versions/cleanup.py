"""Removing what no index version needs: old versions, and what builds that failed, were stopped or died have left."""

from __future__ import annotations

import logging

from vectorstores.backends.vector_table import VectorServer, build_name
from vectorstores.backends.vectors import drop_build
from vectorstores.errors import BuildInProgress, KnowledgeIndexError, VectorStoreUnavailable
from vectorstores.versions.versions import IndexLayout

logger = logging.getLogger(__name__)


def clean_up(layout: IndexLayout, server: VectorServer | None, *, in_use: bool = False) -> None:
    """Remove what neither the current nor the previous version needs; the caller has the right to build.

    What a service still searches stays until the next time; with ``in_use`` it goes all the same.
    """
    for build in layout.removable():
        if server is not None:
            try:
                drop_build(build_name(build.name, build.parent.name), server)
            except VectorStoreUnavailable:
                continue  # its directory stays, so that the next time tries again
        layout.remove(build, in_use=in_use)
    layout.remove_files()


def clean_up_when_free(layout: IndexLayout, server: VectorServer | None, *, in_use: bool = False) -> bool:
    """`clean_up`, unless somebody builds just now or the disk does not allow it; whether nothing is left to remove."""
    try:
        with layout.lock_for_build():
            clean_up(layout, server, in_use=in_use)
            return not layout.removable()
    except BuildInProgress:
        return False
    except (OSError, KnowledgeIndexError) as error:
        logger.warning("what builds have left cannot be removed: %s", error)
        return False
