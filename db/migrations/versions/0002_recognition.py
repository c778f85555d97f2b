"""Schema `recognition`: files, jobs, objects and documents of the recognition job exchange."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("CREATE SCHEMA recognition")
    op.create_table(
        "inbox_state",
        sa.Column("instance", sa.Text(), nullable=False),
        sa.Column("alive_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column(
            "applied_through",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="everything that reached this inbox before then is applied",
        ),
        sa.Column("listening_since", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("instance", name=op.f("pk_inbox_state")),
        schema="recognition",
    )
    op.create_table(
        "s3_object",
        sa.Column("id", sa.Uuid(as_uuid=False), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("bucket", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("bucket_role", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), server_default="arm-core", nullable=False),
        sa.Column(
            "size_bytes", sa.BigInteger(), nullable=True, comment="NULL for a result: the inbox does not read it"
        ),
        sa.Column("sha256", sa.Text(), nullable=True, comment="NULL for a result: the inbox does not read it"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("bucket_role IN ('uploads', 'results')", name=op.f("ck_s3_object_bucket_role")),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_s3_object_sha256")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_s3_object")),
        sa.UniqueConstraint("bucket", "key", name=op.f("uq_s3_object_bucket_key")),
        schema="recognition",
    )
    op.create_table(
        "tick_state",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("ran_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("observing_since", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_tick_state")),
        schema="recognition",
    )
    op.create_table(
        "stored_file",
        sa.Column("id", sa.Uuid(as_uuid=False), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("original_name", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), server_default="application/octet-stream", nullable=False),
        sa.Column("status", sa.Text(), server_default="UPLOADED", nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True, comment="that of its current job"),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column(
            "mapping_error",
            sa.Text(),
            nullable=True,
            comment="why the result of a successful job could not become documents",
        ),
        sa.Column("consolidation_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("s3_object_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("current_recognition_job_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "(status = 'ERROR') = (coalesce(error_code, mapping_error) IS NOT NULL)", name=op.f("ck_stored_file_error")
        ),
        sa.CheckConstraint(
            "status IN ('UPLOADED', 'PROCESSING', 'PROCESSED', 'NEEDS_CHECK', 'ERROR')",
            name=op.f("ck_stored_file_status"),
        ),
        sa.ForeignKeyConstraint(
            ["s3_object_id"], ["recognition.s3_object.id"], name=op.f("fk_stored_file_s3_object_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stored_file")),
        schema="recognition",
    )
    op.create_index(
        "ix_stored_file_created_at",
        "stored_file",
        [sa.literal_column("created_at DESC"), "id"],
        unique=False,
        schema="recognition",
    )
    op.create_index(
        "ix_stored_file_processing",
        "stored_file",
        ["current_recognition_job_id"],
        unique=False,
        schema="recognition",
        postgresql_where=sa.text("status = 'PROCESSING'"),
    )
    op.create_table(
        "recognition_job",
        sa.Column("id", sa.Uuid(as_uuid=False), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("file_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("pipeline", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), server_default="queued", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="1", nullable=False),
        sa.Column("max_attempts", sa.Integer(), server_default="3", nullable=False),
        sa.Column("requested_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reply_deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("request_msg_id", sa.Text(), nullable=True),
        sa.Column("request_subject", sa.Text(), nullable=True),
        sa.Column("service_name", sa.Text(), nullable=True),
        sa.Column("service_version", sa.Text(), nullable=True),
        sa.Column("metrics", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("result_schema_version", sa.Text(), nullable=True),
        sa.Column("result_s3_object_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("result_msg_id", sa.Text(), nullable=True),
        sa.Column(
            "result_digest",
            sa.Text(),
            nullable=True,
            comment="SHA-256 of the result envelope: tells two contents of one id apart",
        ),
        sa.Column("statements_version", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(status IN ('done', 'needs_check', 'error', 'timeout', 'dlq')) = (finished_at IS NOT NULL)",
            name=op.f("ck_recognition_job_final_is_finished"),
        ),
        sa.CheckConstraint("jsonb_typeof(metrics) = 'object'", name=op.f("ck_recognition_job_metrics")),
        sa.CheckConstraint("pipeline IN ('tabular', 'image')", name=op.f("ck_recognition_job_pipeline")),
        sa.CheckConstraint("result_digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_recognition_job_result_digest")),
        sa.CheckConstraint(
            "status <> 'processing' OR num_nulls(started_at, reply_deadline, service_name) = 0",
            name=op.f("ck_recognition_job_processing_is_complete"),
        ),
        sa.CheckConstraint(
            "status <> 'published' OR num_nulls(published_at, reply_deadline, request_msg_id, request_subject) = 0",
            name=op.f("ck_recognition_job_published_is_complete"),
        ),
        sa.CheckConstraint(
            "status <> 'queued' OR coalesce(published_at, started_at, reply_deadline) IS NULL",
            name=op.f("ck_recognition_job_queued_is_fresh"),
        ),
        sa.CheckConstraint(
            "status IN ('queued', 'published', 'processing', 'done', 'needs_check', 'error', 'timeout', 'dlq')",
            name=op.f("ck_recognition_job_status"),
        ),
        sa.CheckConstraint(
            "status NOT IN ('error', 'timeout', 'dlq') OR error_code IS NOT NULL",
            name=op.f("ck_recognition_job_failure_has_its_code"),
        ),
        sa.CheckConstraint("attempt >= 1 AND max_attempts >= 1", name=op.f("ck_recognition_job_attempt")),
        sa.ForeignKeyConstraint(["file_id"], ["recognition.stored_file.id"], name=op.f("fk_recognition_job_file_id")),
        sa.ForeignKeyConstraint(
            ["result_s3_object_id"], ["recognition.s3_object.id"], name=op.f("fk_recognition_job_result_s3_object_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recognition_job")),
        sa.UniqueConstraint("file_id", "attempt", name=op.f("uq_recognition_job_file_id_attempt")),
        schema="recognition",
    )
    op.create_index(
        "ix_recognition_job_deadline",
        "recognition_job",
        ["reply_deadline"],
        unique=False,
        schema="recognition",
        postgresql_where=sa.text("status IN ('published', 'processing')"),
    )
    op.create_index(
        "ix_recognition_job_published",
        "recognition_job",
        ["published_at"],
        unique=False,
        schema="recognition",
        postgresql_where=sa.text("status = 'published'"),
    )
    op.create_index(
        "ix_recognition_job_queued",
        "recognition_job",
        ["requested_at", "id"],
        unique=False,
        schema="recognition",
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "ix_recognition_job_requested_at",
        "recognition_job",
        [sa.literal_column("requested_at DESC"), "id"],
        unique=False,
        schema="recognition",
    )
    op.create_table(
        "audit_event",
        sa.Column("id", sa.Uuid(as_uuid=False), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("file_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("job_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("details", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.ForeignKeyConstraint(["file_id"], ["recognition.stored_file.id"], name=op.f("fk_audit_event_file_id")),
        sa.ForeignKeyConstraint(["job_id"], ["recognition.recognition_job.id"], name=op.f("fk_audit_event_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_event")),
        schema="recognition",
    )
    op.create_index(op.f("ix_audit_event_file_id"), "audit_event", ["file_id"], unique=False, schema="recognition")
    op.create_table(
        "document",
        sa.Column("id", sa.Uuid(as_uuid=False), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("file_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("recognition_job_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("period_from", sa.Date(), nullable=True),
        sa.Column("period_to", sa.Date(), nullable=True),
        sa.CheckConstraint("kind IN ('osv', 'receipt', 'text')", name=op.f("ck_document_kind")),
        sa.ForeignKeyConstraint(["file_id"], ["recognition.stored_file.id"], name=op.f("fk_document_file_id")),
        sa.ForeignKeyConstraint(
            ["recognition_job_id"], ["recognition.recognition_job.id"], name=op.f("fk_document_recognition_job_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
        schema="recognition",
    )
    op.create_index(op.f("ix_document_file_id"), "document", ["file_id"], unique=False, schema="recognition")
    op.create_table(
        "document_row",
        sa.Column("document_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("account", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("opening_debit", sa.Numeric(), nullable=True),
        sa.Column("opening_credit", sa.Numeric(), nullable=True),
        sa.Column("turnover_debit", sa.Numeric(), nullable=True),
        sa.Column("turnover_credit", sa.Numeric(), nullable=True),
        sa.Column("closing_debit", sa.Numeric(), nullable=True),
        sa.Column("closing_credit", sa.Numeric(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"], ["recognition.document.id"], name=op.f("fk_document_row_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_document_row")),
        schema="recognition",
    )
    op.create_foreign_key(
        "fk_stored_file_current_recognition_job_id",
        "stored_file",
        "recognition_job",
        ["current_recognition_job_id"],
        ["id"],
        source_schema="recognition",
        referent_schema="recognition",
        deferrable=True,
        initially="DEFERRED",
    )
    op.execute("""
        CREATE FUNCTION recognition.newest_job_is_current() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE recognition.stored_file AS f SET current_recognition_job_id = NEW.id
            WHERE f.id = NEW.file_id AND NOT EXISTS (
                SELECT FROM recognition.recognition_job AS other
                WHERE other.id = f.current_recognition_job_id AND other.attempt > NEW.attempt
            );
            RETURN NULL;
        END
        $$
    """)
    op.execute("""
        CREATE TRIGGER newest_job_is_current AFTER INSERT ON recognition.recognition_job
        FOR EACH ROW EXECUTE FUNCTION recognition.newest_job_is_current()
    """)
