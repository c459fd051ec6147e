/** Transactions of one process that commit together: what each saw is compared under locks, and those that saw old things stay out. */

/** The number of this step. */
export const BATCHES_SCHEMA_VERSION = 5;

/**
 * Each list is looked up by an index, however few rows there were when the plan was made, and each connection keeps its
 * plans: the planner would make them anew for each call, since short lists cost less than it expects of all. Functions that
 * only these call take the settings over: each setting costs a call some microseconds.
 */
const BY_INDEX =
	"SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan SET jit = off";

/** Of a row: the same content is the same version, whichever transaction wrote it. */
const VERSION = (body: string) => `encode(sha256(convert_to(${body}, 'UTF8')), 'hex')`;
/** Of all rows that a search found. */
const VERSIONS = `string_agg(${VERSION("body")}, ',' ORDER BY id)`;

/** As many as in `move_money`. */
const SHARDS = 64;

export const BATCHES = (s: string) => `
CREATE FUNCTION ${s}.own_shard() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT 1 + pg_backend_pid() % ${SHARDS} $$;

-- The last batch of each lane of a process, by which its end can be asked for; failed is null for one that was given up.
CREATE TABLE ${s}.batch_marks (
	process text NOT NULL REFERENCES ${s}.processes ON DELETE CASCADE,
	lane integer NOT NULL,
	batch bigint NOT NULL,
	failed integer[],
	PRIMARY KEY (process, lane)
) WITH (fillfactor = 50);

-- How a batch ended whose connection was lost: what it left out, or null if it did not commit, and then it never will.
CREATE FUNCTION ${s}.end_of_batch(p_process text, p_lane integer, p_batch bigint, OUT failed integer[])
	LANGUAGE plpgsql AS $$
BEGIN
	-- Either waits for the commit that is under way.
	INSERT INTO ${s}.batch_marks VALUES (p_process, p_lane, p_batch, NULL) ON CONFLICT DO NOTHING;
	UPDATE ${s}.batch_marks AS m SET batch = p_batch, failed = NULL
		WHERE m.process = p_process AND m.lane = p_lane AND m.batch < p_batch;
	SELECT m.failed INTO failed FROM ${s}.batch_marks AS m
		WHERE m.process = p_process AND m.lane = p_lane AND m.batch = p_batch;
END $$;

-- Versions of all rows with a value in an indexed field.
CREATE FUNCTION ${s}.versions_by(p_tbl text, p_place integer, p_value text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF p_place = 1 THEN
		RETURN (SELECT ${VERSIONS} FROM ${s}.records WHERE tbl = p_tbl AND k1 = p_value);
	ELSIF p_place = 2 THEN
		RETURN (SELECT ${VERSIONS} FROM ${s}.records WHERE tbl = p_tbl AND k2 = p_value);
	END IF;
	RETURN (SELECT ${VERSIONS} FROM ${s}.records WHERE tbl = p_tbl AND k3 = p_value);
END $$;

-- Rows by id (part 1), rows by a value (part 2) and balances (part 3) at one moment; n is the place in the list that was asked for.
CREATE FUNCTION ${s}.look(
	p_get_tbl text[], p_get_id text[], p_find_tbl text[], p_find_place integer[], p_find_value text[], p_accounts text[]
) RETURNS TABLE (part integer, n integer, body text, version text) LANGUAGE plpgsql STABLE ${BY_INDEX} AS $$
BEGIN
	IF cardinality(p_get_id) > 0 THEN
		RETURN QUERY SELECT 1, g.n::integer, r.body, ${VERSION("r.body")}
			FROM unnest(p_get_tbl, p_get_id) WITH ORDINALITY AS g(tbl, id, n)
			JOIN ${s}.records AS r ON r.tbl = g.tbl AND r.id = g.id;
	END IF;
	FOR place IN 1 .. cardinality(p_find_value) LOOP
		RETURN QUERY SELECT 2, place, f.body, f.version FROM ${s}.rows_by(p_find_tbl[place], p_find_place[place], p_find_value[place]) AS f;
	END LOOP;
	IF cardinality(p_accounts) > 0 THEN
		RETURN QUERY SELECT 3, a.n::integer, NULL::text, sum(b.amount)::text
			FROM unnest(p_accounts) WITH ORDINALITY AS a(account, n)
			JOIN ${s}.balances AS b ON b.account = a.account GROUP BY a.n;
	END IF;
END $$;

CREATE FUNCTION ${s}.rows_by(p_tbl text, p_place integer, p_value text)
	RETURNS TABLE (body text, version text) LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF p_place = 1 THEN
		RETURN QUERY SELECT r.body, ${VERSION("r.body")} FROM ${s}.records AS r WHERE tbl = p_tbl AND k1 = p_value ORDER BY id;
	ELSIF p_place = 2 THEN
		RETURN QUERY SELECT r.body, ${VERSION("r.body")} FROM ${s}.records AS r WHERE tbl = p_tbl AND k2 = p_value ORDER BY id;
	ELSE
		RETURN QUERY SELECT r.body, ${VERSION("r.body")} FROM ${s}.records AS r WHERE tbl = p_tbl AND k3 = p_value ORDER BY id;
	END IF;
END $$;

-- Those whose rows, values or balances are not what they saw.
CREATE FUNCTION ${s}.outdated(
	p_get_tx integer[], p_get_tbl text[], p_get_id text[], p_get_version text[],
	p_find_tx integer[], p_find_tbl text[], p_find_place integer[], p_find_value text[], p_find_versions text[],
	p_sum_tx integer[], p_sum_account text[], p_sum_amount numeric[]
) RETURNS SETOF integer LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF cardinality(p_get_tx) > 0 THEN
		RETURN QUERY SELECT g.tx FROM unnest(p_get_tx, p_get_tbl, p_get_id, p_get_version) AS g(tx, tbl, id, version)
			LEFT JOIN ${s}.records AS r ON r.tbl = g.tbl AND r.id = g.id WHERE ${VERSION("r.body")} IS DISTINCT FROM g.version;
	END IF;
	IF cardinality(p_find_tx) > 0 THEN
		RETURN QUERY SELECT f.tx
			FROM unnest(p_find_tx, p_find_tbl, p_find_place, p_find_value, p_find_versions) AS f(tx, tbl, place, value, versions)
			WHERE ${s}.versions_by(f.tbl, f.place, f.value) IS DISTINCT FROM f.versions;
	END IF;
	IF cardinality(p_sum_tx) > 0 THEN
		RETURN QUERY SELECT b.tx FROM unnest(p_sum_tx, p_sum_account, p_sum_amount) AS b(tx, account, amount)
			WHERE b.amount <> coalesce((SELECT sum(amount) FROM ${s}.balances AS o WHERE o.account = b.account), 0);
	END IF;
END $$;

-- Commits those of p_count transactions that saw what stands, may write and find their locks free; the numbers of the others are
-- returned, of which nothing is written. It waits for no lock that another may hold for long, so one never holds up all.
-- Those of one batch touch different things, so each sees what it would see alone.
CREATE FUNCTION ${s}.apply_batch(
	p_claimant text, p_lane integer, p_batch bigint, p_at_ms bigint, p_window_ms bigint, p_deferred boolean, p_count integer,
	p_lock_tx integer[], p_lock text[], p_lock_shared boolean[],
	p_blind_tx integer[], p_blind_tbl text[], p_blind_id text[],
	p_get_tx integer[], p_get_tbl text[], p_get_id text[], p_get_version text[],
	p_find_tx integer[], p_find_tbl text[], p_find_place integer[], p_find_value text[], p_find_versions text[],
	p_sum_tx integer[], p_sum_account text[], p_sum_amount numeric[],
	p_delete_tx integer[], p_delete_tbl text[], p_delete_id text[],
	p_tx integer[], p_tbl text[], p_id text[], p_body text[], p_k1 text[], p_k2 text[], p_k3 text[],
	p_move_tx integer[], p_move_account text[], p_move_amount numeric[], p_move_lowest numeric[],
	p_key_tx integer[], p_key text[],
	p_ledger_tx integer[], p_ledger text[], p_postings integer[],
	p_owner_tx integer[], p_owner text[], p_has_posting boolean[], p_receipt_at_ms bigint[],
	OUT failed integer[]
) LANGUAGE plpgsql ${BY_INDEX} SET lock_timeout = '15s' AS $$
DECLARE
	more integer[];
	keys text[];
BEGIN
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		-- What is compared must be what stands once the locks are held.
		RAISE EXCEPTION 'batches commit under READ COMMITTED alone' USING ERRCODE = 'TG004';
	END IF;
	IF p_deferred THEN
		-- Until the transaction ends, which this statement is all of.
		PERFORM set_config('synchronous_commit', 'off', true);
	END IF;
	SELECT coalesce(array_agg(DISTINCT tx), '{}') INTO failed FROM (
		SELECT tx, CASE WHEN is_shared THEN pg_try_advisory_xact_lock_shared(${s}.lock_of(name))
			ELSE pg_try_advisory_xact_lock(${s}.lock_of(name)) END AS is_given
		FROM unnest(p_lock_tx, p_lock, p_lock_shared) AS l(tx, name, is_shared)
	) AS locks WHERE NOT is_given;
	-- Values of rows as they were, where the process did not see them.
	IF cardinality(p_blind_tx) > 0 THEN
		SELECT array_agg(DISTINCT tx) INTO more FROM (
			SELECT b.tx, pg_try_advisory_xact_lock_shared(${s}.lock_of('i|' || b.tbl || '|' || v.place || '|' || v.value)) AS is_given
			FROM unnest(p_blind_tx, p_blind_tbl, p_blind_id) AS b(tx, tbl, id)
			JOIN ${s}.records AS r ON r.tbl = b.tbl AND r.id = b.id
			CROSS JOIN LATERAL (VALUES (1, r.k1), (2, r.k2), (3, r.k3)) AS v(place, value)
			WHERE v.value IS NOT NULL
		) AS locks WHERE NOT is_given;
		failed := failed || coalesce(more, '{}');
	END IF;

	SELECT array_agg(DISTINCT tx) INTO more FROM (
		SELECT tx FROM ${s}.outdated(
			p_get_tx, p_get_tbl, p_get_id, p_get_version,
			p_find_tx, p_find_tbl, p_find_place, p_find_value, p_find_versions,
			p_sum_tx, p_sum_account, p_sum_amount
		) AS o(tx)
		UNION ALL SELECT m.tx FROM unnest(p_move_tx, p_move_account, p_move_lowest) AS m(tx, account, lowest)
			WHERE m.lowest < 0 AND left(m.account, 5) IN ('cust:', 'held:')
			AND m.lowest + coalesce((SELECT b.amount FROM ${s}.balances AS b WHERE b.account = m.account AND b.shard = 0), 0) < 0
		UNION ALL SELECT k.tx FROM unnest(p_key_tx, p_key) AS k(tx, key) JOIN ${s}.ledger_keys AS used ON used.key = k.key
	) AS refused;
	failed := failed || coalesce(more, '{}');

	IF cardinality(failed) >= p_count AND (SELECT count(DISTINCT tx) FROM unnest(failed) AS tx) = p_count
		OR cardinality(p_delete_tx) + cardinality(p_tx) + cardinality(p_ledger_tx) = 0
	THEN
		IF NOT p_deferred THEN
			PERFORM ${s}.settle();
		END IF;
		RETURN;
	END IF;

	IF cardinality(p_ledger_tx) > 0 THEN
		PERFORM pg_advisory_xact_lock_shared(${s}.lock_of('history'));
	END IF;
	-- Shared with all that this process writes, so that no one takes it for ended between this look and the commit.
	PERFORM pg_advisory_xact_lock_shared(${s}.lock_of('p|' || p_claimant));
	PERFORM 1 FROM ${s}.processes WHERE id = p_claimant;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'this process was taken for ended' USING ERRCODE = 'TG002';
	END IF;
	INSERT INTO ${s}.batch_marks AS m (process, lane, batch, failed) VALUES (p_claimant, p_lane, p_batch, failed)
		ON CONFLICT (process, lane) DO UPDATE SET batch = excluded.batch, failed = excluded.failed WHERE m.batch < excluded.batch;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'this batch was given up' USING ERRCODE = 'TG003';
	END IF;

	IF cardinality(p_delete_tx) > 0 THEN
		DELETE FROM ${s}.records AS r USING unnest(p_delete_tx, p_delete_tbl, p_delete_id) AS w(tx, tbl, id)
			WHERE r.tbl = w.tbl AND r.id = w.id AND w.tx <> ALL (failed);
	END IF;
	IF cardinality(p_tx) > 0 THEN
		INSERT INTO ${s}.records (tbl, id, body, k1, k2, k3)
			SELECT tbl, id, body, k1, k2, k3 FROM unnest(p_tx, p_tbl, p_id, p_body, p_k1, p_k2, p_k3) AS w(tx, tbl, id, body, k1, k2, k3)
			WHERE tx <> ALL (failed)
			ON CONFLICT (tbl, id) DO UPDATE SET body = excluded.body, k1 = excluded.k1, k2 = excluded.k2, k3 = excluded.k3;
	END IF;
	IF cardinality(p_ledger_tx) > 0 THEN
		-- Rows of callers are this batch's alone by their locks; those of the server have one row for each of some connections.
		WITH moves AS MATERIALIZED (
			SELECT account, sum(amount) AS amount FROM unnest(p_move_tx, p_move_account, p_move_amount) AS m(tx, account, amount)
			WHERE tx <> ALL (failed) AND left(account, 5) IN ('cust:', 'held:') GROUP BY account
		), updated AS (
			UPDATE ${s}.balances AS b SET amount = b.amount + moves.amount FROM moves
			WHERE b.account = moves.account AND b.shard = 0 RETURNING b.account
		)
		INSERT INTO ${s}.balances (account, shard, amount)
			SELECT account, 0, amount FROM moves WHERE account NOT IN (SELECT account FROM updated);
		INSERT INTO ${s}.balances AS b (account, shard, amount)
			SELECT account, ${s}.own_shard(), sum(amount) FROM unnest(p_move_tx, p_move_account, p_move_amount) AS m(tx, account, amount)
			WHERE tx <> ALL (failed) AND left(account, 5) NOT IN ('cust:', 'held:') GROUP BY account ORDER BY account COLLATE "C"
			ON CONFLICT (account, shard) DO UPDATE SET amount = b.amount + excluded.amount;
		SELECT array_agg(key) INTO keys FROM unnest(p_key_tx, p_key) AS k(tx, key) WHERE tx <> ALL (failed);
		IF keys IS NOT NULL THEN
			PERFORM ${s}.use_keys(keys, p_at_ms, p_window_ms);
		END IF;
		WITH placed AS MATERIALIZED (
			SELECT tx, body, postings, nextval('${s}.ledger_seq_seq') AS seq FROM (
				SELECT * FROM unnest(p_ledger_tx, p_ledger, p_postings) AS l(tx, body, postings) WHERE tx <> ALL (failed) ORDER BY tx
			) AS ordered
		), written AS (
			INSERT INTO ${s}.ledger (seq, at_ms, postings, body, sha256) OVERRIDING SYSTEM VALUE
				SELECT seq, p_at_ms, postings, body, sha256(convert_to(body, 'UTF8')) FROM placed
		)
		INSERT INTO ${s}.mentions (owner, seq, has_posting, receipt_at_ms)
			SELECT m.owner, placed.seq, m.has_posting, m.receipt_at_ms
			FROM unnest(p_owner_tx, p_owner, p_has_posting, p_receipt_at_ms) AS m(tx, owner, has_posting, receipt_at_ms)
			JOIN placed ON placed.tx = m.tx;
	END IF;
END $$;
`;
