/** Tables of graphs and their indexes. */

/** The number of this step: those between it and the one before are others' and may come later. */
export const GRAPHS_SCHEMA_VERSION = 4;

export const GRAPH_TABLES = (s: string) => `
-- Archives and segments of indexes, in parts that one statement carries. A segment has a name and is stored once.
CREATE TABLE ${s}.graph_files (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text COLLATE "C" UNIQUE,
	bytes bigint NOT NULL,
	sha256 bytea NOT NULL
);
CREATE TABLE ${s}.graph_file_parts (
	file bigint NOT NULL REFERENCES ${s}.graph_files ON DELETE CASCADE,
	part integer NOT NULL,
	body bytea NOT NULL,
	PRIMARY KEY (file, part)
);
-- They are packed already.
ALTER TABLE ${s}.graph_file_parts ALTER COLUMN body SET STORAGE EXTERNAL;

-- Numbers are drawn under the lock 'graphs', so that they become visible in their order.
CREATE TABLE ${s}.graph_versions (
	version bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	graph_id text COLLATE "C" NOT NULL,
	base bigint,
	number integer NOT NULL,
	at text NOT NULL,
	cause text NOT NULL,
	nodes integer NOT NULL,
	content_hash text,
	archive bigint REFERENCES ${s}.graph_files,
	is_whole boolean NOT NULL,
	removed text[] NOT NULL,
	former text,
	moved_to text
);
CREATE INDEX graph_versions_graph ON ${s}.graph_versions (graph_id, version);
CREATE INDEX graph_versions_archive ON ${s}.graph_versions (archive);

-- Who makes the vectors of a version with a model, and until when that counts without another word.
CREATE TABLE ${s}.graph_indexes (
	version bigint NOT NULL REFERENCES ${s}.graph_versions ON DELETE CASCADE,
	model text NOT NULL,
	claimant text NOT NULL,
	until timestamptz NOT NULL,
	is_made boolean NOT NULL DEFAULT false,
	PRIMARY KEY (version, model)
);
CREATE TABLE ${s}.graph_index_segments (
	version bigint NOT NULL,
	model text NOT NULL,
	place integer NOT NULL,
	file bigint NOT NULL REFERENCES ${s}.graph_files,
	tombstones text NOT NULL,
	PRIMARY KEY (version, model, place),
	FOREIGN KEY (version, model) REFERENCES ${s}.graph_indexes ON DELETE CASCADE
);
CREATE INDEX graph_index_segments_file ON ${s}.graph_index_segments (file);
`;
