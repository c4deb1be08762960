"""Settings of notices of support programmes and housing; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings


class NoticeSettings(BaseSettings):
    """The store of notices and the public APIs that fill it."""

    notice_database_url: str | None = Field(
        None, repr=False, description="SQL database of the notices; empty: DATABASE_URL, else SQLite in DATA_DIR."
    )
    notice_dir: Path | None = Field(
        None, description="Words, regions and packs of the notices; empty: data/notices. Read at the start."
    )
    notice_max_age_hours: float = Field(
        72.0, gt=0, description="Hours after which notices of an API that was not refreshed count as old (degraded)."
    )
    notice_keep_days: int = Field(
        400, ge=0, description="Days after its deadline that a refresh removes a notice of an API; 0: never."
    )
    notice_refresh_timeout: float = Field(600.0, gt=0, description="Seconds that refreshing one source may take.")
    bizinfo_api_key: SecretStr | None = Field(
        None, repr=False, description="Key (crtfcKey) of the API of 기업마당, bizinfo.go.kr, for `notices refresh`."
    )
    bizinfo_api_url: str = Field("https://www.bizinfo.go.kr/uss/rss/bizinfoApi.do", description="Address of that API.")
    kstartup_api_key: SecretStr | None = Field(
        None,
        repr=False,
        description="Key (serviceKey, decoded) of the K-Startup API at data.go.kr, for `notices refresh`.",
    )
    kstartup_api_url: str = Field(
        "https://apis.data.go.kr/B552735/kisedKstartupService01/getAnnouncementInformation01",
        description="Address of that API.",
    )
    notice_api_timeout: float = Field(30.0, gt=0, description="Seconds one answer of these APIs may take.")
