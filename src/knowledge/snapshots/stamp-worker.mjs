/** A thread that walks one folder, reports what it found and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { walkStamps } from "./stamp-walk.mjs";

const stamps = walkStamps(workerData);
parentPort?.postMessage(stamps, [stamps.numbers.buffer]);
