import { BATCHES, BATCHES_SCHEMA_VERSION } from "./batch-schema.js";
import { GRAPH_TABLES, GRAPHS_SCHEMA_VERSION } from "./graph-schema.js";

/**
 * What the database holds. Every statement names its schema, so that no setting of a session decides what is meant, and
 * poolers that share sessions among clients work.
 */

/** One step from one version of the schema to the next; what has been released never changes (its hash is kept). */
export interface Migration {
	readonly version: number;
	readonly name: string;
	/** `s` is the quoted name of the schema. */
	readonly sql: (s: string) => string;
}

/** Accounts that many calls add to at the same time are spread over so many rows; a balance is their sum. */
const SHARDS = 64;

const TABLES = (s: string) => `
-- Rows of the port's tables, each as JSON; k1 to k3 are the fields it can be searched by, in the order of TABLE_INDEXES.
CREATE TABLE ${s}.records (
	tbl text COLLATE "C" NOT NULL,
	id text COLLATE "C" NOT NULL,
	body text NOT NULL,
	k1 text COLLATE "C",
	k2 text COLLATE "C",
	k3 text COLLATE "C",
	PRIMARY KEY (tbl, id)
) PARTITION BY LIST (tbl);
-- What comes and goes with every call has pages of its own, and so has what only grows.
CREATE TABLE ${s}.records_holds PARTITION OF ${s}.records FOR VALUES IN ('holds');
CREATE TABLE ${s}.records_idempotency PARTITION OF ${s}.records FOR VALUES IN ('idempotency');
CREATE TABLE ${s}.records_receipts PARTITION OF ${s}.records FOR VALUES IN ('receipts');
CREATE TABLE ${s}.records_payments PARTITION OF ${s}.records FOR VALUES IN ('payments');
CREATE TABLE ${s}.records_others PARTITION OF ${s}.records DEFAULT;
CREATE INDEX records_k1 ON ${s}.records (tbl, k1) WHERE k1 IS NOT NULL;
CREATE INDEX records_k2 ON ${s}.records (tbl, k2) WHERE k2 IS NOT NULL;
CREATE INDEX records_k3 ON ${s}.records (tbl, k3) WHERE k3 IS NOT NULL;

-- Balances of callers have one row, which is never negative; those of the server have up to ${SHARDS}.
CREATE TABLE ${s}.balances (
	account text COLLATE "C" NOT NULL,
	shard smallint NOT NULL,
	amount numeric NOT NULL,
	PRIMARY KEY (account, shard),
	CHECK (amount >= 0 OR left(account, 5) NOT IN ('cust:', 'held:'))
) WITH (fillfactor = 70);

-- Postings and receipts of each transaction that left some, in an order in which they may have run one after the other.
CREATE TABLE ${s}.ledger (
	seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at_ms bigint NOT NULL,
	postings integer NOT NULL,
	body text NOT NULL,
	sha256 bytea NOT NULL
);
-- Whose postings and receipts they are; receipt_at_ms is that of the owner's newest receipt there.
CREATE TABLE ${s}.mentions (
	owner text COLLATE "C" NOT NULL,
	seq bigint NOT NULL REFERENCES ${s}.ledger,
	has_posting boolean NOT NULL,
	receipt_at_ms bigint,
	PRIMARY KEY (owner, seq)
);
-- Keys of recent postings, by the hour of their commit.
CREATE TABLE ${s}.ledger_keys (key text COLLATE "C" PRIMARY KEY, hour bigint NOT NULL);
CREATE INDEX ledger_keys_hour ON ${s}.ledger_keys (hour);
CREATE TABLE ${s}.key_hours (hour bigint PRIMARY KEY);

-- What the database is (store_id) and who sells from it (claimant).
CREATE TABLE ${s}.meta (name text PRIMARY KEY, value text NOT NULL);

CREATE TABLE ${s}.documents (id text COLLATE "C" PRIMARY KEY, body bytea NOT NULL, expires_at_ms bigint NOT NULL);
CREATE INDEX documents_expiry ON ${s}.documents (expires_at_ms);

CREATE TABLE ${s}.query_log (
	day date NOT NULL,
	n bigint GENERATED ALWAYS AS IDENTITY,
	owner text COLLATE "C" NOT NULL,
	body text NOT NULL
) PARTITION BY RANGE (day);
CREATE INDEX query_log_owner ON ${s}.query_log (owner, n);
`;

/**
 * Locks are advisory and end with their transaction. Each has a name: \`r|<table>|<id>\` a row, \`i|<table>|<place>|<value>\` all
 * rows with a value in an indexed field, \`t|<table>\` all rows, \`b|<owner>\` what an owner has, \`history\` the order of the ledger.
 */
const LOCKS = (s: string) => `
CREATE FUNCTION ${s}.lock_of(name text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$ SELECT hashtextextended(name, hashtextextended('${s}', 0)) $$;

-- What an owner has and what is held of it are locked together: some work looks at the one first, some at the other.
CREATE FUNCTION ${s}.balance_lock(account text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$ SELECT 'b|' || CASE WHEN left(account, 5) IN ('cust:', 'held:') THEN substr(account, 6) ELSE account END $$;

-- In one order for everybody, so that those who take all at once never wait for each other in a circle.
CREATE FUNCTION ${s}.take_locks(names text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE lock bigint;
BEGIN
	FOR lock IN SELECT DISTINCT ${s}.lock_of(name) AS l FROM unnest(names) AS name ORDER BY l LOOP
		PERFORM pg_advisory_xact_lock(lock);
	END LOOP;
END $$;

-- Each statement of these functions sees what had committed when it began: after the lock was given, not before.
CREATE FUNCTION ${s}.get_row(p_tbl text, p_id text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(${s}.lock_of('r|' || p_tbl || '|' || p_id));
	RETURN (SELECT body FROM ${s}.records WHERE tbl = p_tbl AND id = p_id);
END $$;

CREATE FUNCTION ${s}.find_rows(p_tbl text, p_place integer, p_value text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(${s}.lock_of('i|' || p_tbl || '|' || p_place || '|' || p_value));
	IF p_place = 1 THEN
		RETURN QUERY SELECT body FROM ${s}.records WHERE tbl = p_tbl AND k1 = p_value ORDER BY id;
	ELSIF p_place = 2 THEN
		RETURN QUERY SELECT body FROM ${s}.records WHERE tbl = p_tbl AND k2 = p_value ORDER BY id;
	ELSE
		RETURN QUERY SELECT body FROM ${s}.records WHERE tbl = p_tbl AND k3 = p_value ORDER BY id;
	END IF;
END $$;

CREATE FUNCTION ${s}.list_rows(p_tbl text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(${s}.lock_of('t|' || p_tbl));
	RETURN QUERY SELECT body FROM ${s}.records WHERE tbl = p_tbl ORDER BY id;
END $$;

-- Balances of these accounts, which are locked, and whether the key is used: a row without an account.
CREATE FUNCTION ${s}.standing(p_accounts text[], p_key text)
	RETURNS TABLE (account text, amount text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ${s}.take_locks(ARRAY(SELECT ${s}.balance_lock(a) FROM unnest(p_accounts) AS a));
	RETURN QUERY
		SELECT b.account, sum(b.amount)::text FROM ${s}.balances AS b WHERE b.account = ANY (p_accounts) GROUP BY b.account
		UNION ALL
		SELECT NULL, 'used' FROM ${s}.ledger_keys AS k WHERE k.key = p_key;
END $$;
`;

const MONEY = (s: string) => `
-- Keys are dropped by commits alone, the oldest two hours at a time when a new hour begins: a clock that leaps ahead and comes
-- back makes no recent key acceptable. A commit of an earlier hour joins the newest.
CREATE FUNCTION ${s}.use_keys(p_keys text[], p_at_ms bigint, p_window_ms bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	now_hour bigint := div(p_at_ms, 3600000);
	newest bigint;
	used integer;
BEGIN
	SELECT max(hour) INTO newest FROM ${s}.key_hours;
	IF newest IS NULL OR now_hour > newest THEN
		INSERT INTO ${s}.key_hours VALUES (now_hour) ON CONFLICT DO NOTHING;
		IF FOUND THEN
			WITH old AS (
				DELETE FROM ${s}.key_hours WHERE hour IN (
					SELECT hour FROM ${s}.key_hours WHERE hour < div(p_at_ms - p_window_ms, 3600000) ORDER BY hour LIMIT 2
				) RETURNING hour
			)
			DELETE FROM ${s}.ledger_keys WHERE hour IN (SELECT hour FROM old);
		END IF;
		newest := now_hour;
	END IF;
	INSERT INTO ${s}.ledger_keys (key, hour) SELECT key, newest FROM unnest(p_keys) AS key ORDER BY key ON CONFLICT DO NOTHING;
	GET DIAGNOSTICS used = ROW_COUNT;
	IF used < cardinality(p_keys) THEN
		RAISE EXCEPTION 'a key was used meanwhile' USING ERRCODE = 'TG001';
	END IF;
END $$;

CREATE FUNCTION ${s}.move_money(p_accounts text[], p_amounts numeric[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE change record;
BEGIN
	FOR change IN
		SELECT account, amount FROM unnest(p_accounts, p_amounts) AS c(account, amount)
		WHERE left(account, 5) IN ('cust:', 'held:') ORDER BY account COLLATE "C"
	LOOP
		UPDATE ${s}.balances AS b SET amount = b.amount + change.amount WHERE b.account = change.account AND b.shard = 0;
		IF NOT FOUND THEN
			INSERT INTO ${s}.balances VALUES (change.account, 0, change.amount);
		END IF;
	END LOOP;
	INSERT INTO ${s}.balances AS b (account, shard, amount)
		SELECT account, 1 + pg_backend_pid() % ${SHARDS}, amount FROM unnest(p_accounts, p_amounts) AS c(account, amount)
		WHERE left(account, 5) NOT IN ('cust:', 'held:') ORDER BY account COLLATE "C"
		ON CONFLICT (account, shard) DO UPDATE SET amount = b.amount + excluded.amount;
END $$;

`;

const CLAIMANT_FENCE = (s: string) => `	IF p_claimant IS NOT NULL THEN
		-- Shared with all who write, so that no one takes the claim over between this look and the commit.
		PERFORM pg_advisory_xact_lock_shared(${s}.lock_of('claimant'));
		PERFORM 1 FROM ${s}.meta WHERE name = 'claimant' AND value = p_claimant;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'another process has taken the database over' USING ERRCODE = 'TG002';
		END IF;
	END IF;
`;

/** `fence` refuses the writes of a process that may not write any more; `lockValues` locks what rows are searched by. */
const APPLY = (
	s: string,
	fence: string,
	lockValues = "take_locks",
) => `-- All that one transaction writes. A row without a body is deleted. First every lock, then every write.
CREATE FUNCTION ${s}.apply(
	p_tbl text[], p_id text[], p_body text[], p_k1 text[], p_k2 text[], p_k3 text[],
	p_accounts text[], p_amounts numeric[], p_keys text[], p_at_ms bigint, p_window_ms bigint,
	p_ledger text, p_postings integer, p_owners text[], p_has_posting boolean[], p_receipt_at_ms bigint[],
	p_claimant text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	lock bigint;
	place bigint;
BEGIN
	IF cardinality(p_id) > 0 THEN
		FOR lock IN SELECT DISTINCT ${s}.lock_of('t|' || tbl) AS l FROM unnest(p_tbl) AS tbl ORDER BY l LOOP
			PERFORM pg_advisory_xact_lock_shared(lock);
		END LOOP;
		PERFORM ${s}.take_locks(ARRAY(SELECT 'r|' || tbl || '|' || id FROM unnest(p_tbl, p_id) AS w(tbl, id)));
		PERFORM ${s}.${lockValues}(ARRAY(
			SELECT 'i|' || w.tbl || '|' || v.place || '|' || v.value
			FROM unnest(p_tbl, p_id, p_k1, p_k2, p_k3) AS w(tbl, id, k1, k2, k3)
			LEFT JOIN ${s}.records AS r ON r.tbl = w.tbl AND r.id = w.id
			CROSS JOIN LATERAL (VALUES (1, w.k1), (2, w.k2), (3, w.k3), (1, r.k1), (2, r.k2), (3, r.k3)) AS v(place, value)
			WHERE v.value IS NOT NULL
		));
	END IF;
	IF p_ledger IS NOT NULL THEN
		PERFORM ${s}.take_locks(ARRAY(
			SELECT ${s}.balance_lock(a) FROM unnest(p_accounts) AS a WHERE left(a, 5) IN ('cust:', 'held:')
		));
		PERFORM pg_advisory_xact_lock_shared(${s}.lock_of('history'));
	END IF;

	IF cardinality(p_id) > 0 THEN
		DELETE FROM ${s}.records AS r USING unnest(p_tbl, p_id, p_body) AS w(tbl, id, body)
			WHERE w.body IS NULL AND r.tbl = w.tbl AND r.id = w.id;
		INSERT INTO ${s}.records (tbl, id, body, k1, k2, k3)
			SELECT * FROM unnest(p_tbl, p_id, p_body, p_k1, p_k2, p_k3) AS w(tbl, id, body, k1, k2, k3) WHERE body IS NOT NULL
			ON CONFLICT (tbl, id) DO UPDATE
				SET body = excluded.body, k1 = excluded.k1, k2 = excluded.k2, k3 = excluded.k3;
	END IF;
${fence}	IF p_ledger IS NOT NULL THEN
		PERFORM ${s}.move_money(p_accounts, p_amounts);
		IF cardinality(p_keys) > 0 THEN
			PERFORM ${s}.use_keys(p_keys, p_at_ms, p_window_ms);
		END IF;
		INSERT INTO ${s}.ledger (at_ms, postings, body, sha256)
			VALUES (p_at_ms, p_postings, p_ledger, sha256(convert_to(p_ledger, 'UTF8'))) RETURNING seq INTO place;
		INSERT INTO ${s}.mentions (owner, seq, has_posting, receipt_at_ms)
			SELECT owner, place, has_posting, receipt_at_ms
			FROM unnest(p_owners, p_has_posting, p_receipt_at_ms) AS m(owner, has_posting, receipt_at_ms);
	END IF;
	RETURN pg_current_xact_id()::text;
END $$;

`;

const SETTLE = (
	s: string,
) => `-- Makes what others committed without waiting for the disk durable before its own commit returns.
CREATE FUNCTION ${s}.settle() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn() THEN
		PERFORM pg_logical_emit_message(true, 'tollgraph', 'settle');
	END IF;
END $$;
`;

const PROCESS_FENCE = (s: string) => `	IF p_claimant IS NOT NULL THEN
		-- Shared with all that it writes, so that no one takes it for ended between this look and the commit.
		PERFORM pg_advisory_xact_lock_shared(${s}.lock_of('p|' || p_claimant));
		PERFORM 1 FROM ${s}.processes WHERE id = p_claimant;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'this process was taken for ended' USING ERRCODE = 'TG002';
		END IF;
	END IF;
`;

/** Processes instead of one claimant: each writes while its row is there. */
const PROCESSES = (s: string) => `
-- Whoever had the claim writes nothing between what is changed below and the end of this.
SELECT pg_advisory_xact_lock(${s}.lock_of('claimant'));
CREATE TABLE ${s}.processes (id text PRIMARY KEY, seen_at timestamptz NOT NULL);
DELETE FROM ${s}.meta WHERE name IN ('claimant', 'bound');

-- Waits for what that process is committing; whatever it tries to write afterwards is refused.
CREATE FUNCTION ${s}.end_process(p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(${s}.lock_of('p|' || p_id));
	DELETE FROM ${s}.processes WHERE id = p_id;
END $$;

-- Ends those that gave no sign for so long, by the clock of the database alone.
CREATE FUNCTION ${s}.end_silent(p_lease_ms integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE silent text;
BEGIN
	FOR silent IN
		SELECT id FROM ${s}.processes WHERE seen_at < clock_timestamp() - p_lease_ms * interval '1 millisecond' ORDER BY id
	LOOP
		CONTINUE WHEN NOT pg_try_advisory_xact_lock(${s}.lock_of('p|' || silent));
		DELETE FROM ${s}.processes
			WHERE id = silent AND seen_at < clock_timestamp() - p_lease_ms * interval '1 millisecond';
	END LOOP;
END $$;

-- Fields that rows are searched by since then.
UPDATE ${s}.records
	SET k2 = substring(body FROM '"idempotencyId":"([^"\\\\]+)"'), k3 = substring(body FROM '"state":"([a-z_]+)"')
	WHERE tbl = 'payments';
UPDATE ${s}.records SET k2 = substring(body FROM '"state":"([a-z_]+)"') WHERE tbl = 'jobs';
UPDATE ${s}.records SET k2 = substring(body FROM '"streamId":"([^"\\\\]+)"') WHERE tbl = 'streams';
UPDATE ${s}.records SET k2 = substring(body FROM '"from":"([^"\\\\]+)"') WHERE tbl = 'holds';
-- Who writes a value that rows are searched by keeps those away who search for it, not others who write it.
CREATE FUNCTION ${s}.share_locks(names text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE lock bigint;
BEGIN
	FOR lock IN SELECT DISTINCT ${s}.lock_of(name) AS l FROM unnest(names) AS name ORDER BY l LOOP
		PERFORM pg_advisory_xact_lock_shared(lock);
	END LOOP;
END $$;
${APPLY(s, PROCESS_FENCE(s), "share_locks").replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")}`;

/** Fields that rows are searched by since this step, and their places. */
const SEARCHED = [
	["refunds", 2, "transactionHash"],
	["operators", 2, "name"],
	["audit", 2, "command"],
	["oauth_records", 3, "clientId"],
] as const;

/** Bodies are JSON in ASCII escapes; none of these values has what a key of the database escapes once more. */
const SEARCHES = (s: string) => `
CREATE FUNCTION ${s}.field_of(body text, field text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT ('"' || substring(body FROM '"' || field || '":"((?:[^"\\\\]|\\\\.)*)"') || '"')::json #>> '{}'
$$;

-- A process of the build before writes such rows without these values, and without their locks.
CREATE FUNCTION ${s}.fill_values() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	place integer;
	value text;
BEGIN
	SELECT f.place, ${s}.field_of(NEW.body, f.field) INTO place, value
		FROM (VALUES ${SEARCHED.map((one) => `('${one[0]}', ${one[1]}, '${one[2]}')`).join(", ")}) AS f(tbl, place, field)
		WHERE f.tbl = NEW.tbl;
	IF value IS NOT NULL THEN
		PERFORM pg_advisory_xact_lock_shared(${s}.lock_of('i|' || NEW.tbl || '|' || place || '|' || value));
		IF place = 2 THEN
			NEW.k2 := value;
		ELSE
			NEW.k3 := value;
		END IF;
	END IF;
	RETURN NEW;
END $$;

CREATE TRIGGER fill_values BEFORE INSERT OR UPDATE ON ${s}.records_others FOR EACH ROW
	WHEN (${SEARCHED.map(([table, place]) => `NEW.tbl = '${table}' AND NEW.k${place} IS NULL`).join(" OR ")})
	EXECUTE FUNCTION ${s}.fill_values();
`;

/** Rows of before, a step of its own: those that come meanwhile are filled in by the trigger, and only the rows themselves are locked. */
const SEARCHED_ROWS = (s: string) =>
	SEARCHED.map(
		([table, place, field]) =>
			`UPDATE ${s}.records SET k${place} = ${s}.field_of(body, '${field}') WHERE tbl = '${table}' AND k${place} IS NULL;`,
	).join("\n");

export const MIGRATIONS: readonly Migration[] = [
	{
		version: 1,
		name: "tables",
		sql: (s) => `${TABLES(s)}${LOCKS(s)}${MONEY(s)}${APPLY(s, CLAIMANT_FENCE(s))}${SETTLE(s)}`,
	},
	{ version: 2, name: "processes", sql: PROCESSES },
	{ version: GRAPHS_SCHEMA_VERSION, name: "graphs", sql: GRAPH_TABLES },
	{ version: BATCHES_SCHEMA_VERSION, name: "batches", sql: BATCHES },
	{ version: 6, name: "searches", sql: SEARCHES },
	{ version: 7, name: "searched-rows", sql: SEARCHED_ROWS },
];
