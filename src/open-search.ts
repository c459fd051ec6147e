import { join } from "node:path";
import type { Clock } from "./core/clock.js";
import { ServiceError } from "./core/errors.js";
import type { Logger } from "./core/logger.js";
