/** Composition root: the only place where ports meet adapters. */
import { mkdirSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join, resolve } from "node:path";
import { createMoney, type Money } from "./app-money.js";
import { openKeyFolder } from "./auth/key-folder.js";
import { type Clock, systemClock } from "./core/clock.js";
import { createIds } from "./core/ids.js";
import type { Logger } from "./core/logger.js";
import { type Random, systemRandom } from "./core/random.js";
import { LIMITS } from "./core/limits.js";
import { startHousekeeping } from "./housekeeping.js";
import { createHttpApp } from "./http-app.js";
import { createGraphCatalog, type GraphCatalog } from "./knowledge/catalog.js";
import { catalogFolders, loadGraphs } from "./load-graphs.js";
import { openSearch } from "./open-search.js";
import type { SearchEngine } from "./search/search.js";
import { listen, type RunningServer } from "./server.js";
import { createFreeOperations } from "./service/free-operations.js";
import { createGraphImporter } from "./service/graph-importer.js";
import { createInvoke } from "./service/invoke.js";
import { createOperator, type Operator } from "./service/operator.js";
import type { Service, ServiceInfo } from "./service/service.js";
import { createSkillCatalog } from "./service/skill-catalog.js";
import { createUsageRecorder } from "./service/usage.js";
import type { Settings } from "./settings.js";
import { stderrLogger } from "./stderr-logger.js";
import { openJournalStore } from "../store/journal/journal-store.js";
import { nodeFileSystem } from "../store/journal/file-system.js";
import type { Store } from "../store/store.js";
import { SOFTWARE_VERSION } from "./version.js";

export interface AppOptions {
	readonly settings: Settings;
	readonly clock?: Clock;
	readonly random?: Random;
	readonly logger?: Logger;
}

export interface App {
	readonly service: Service;
	readonly operator: Operator;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly store: Store;
	readonly money: Money;
	readonly adminToken: string;
	readonly handler: RequestListener;
	/** Serves on this address, tells the service under which address callers reach it and starts housekeeping. */
	listen(address: { host: string; port: number }): Promise<RunningServer>;
	/** Resolves once search is in step with the catalog; safe to call again. */
	ready(): Promise<void>;
	/** The demo profile's token, filled up; undefined in production. */
	demoSpt(): Promise<string | undefined>;
	/** Stops housekeeping, flushes the journal and frees the data folder. */
	close(): Promise<void>;
}
