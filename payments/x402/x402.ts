export { createX402Envelope } from "./x402-envelope.js";
