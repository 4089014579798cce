import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    address: string;
  }
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Long, for a machine that is busy with other things; a service that ends is noticed at once. */
const PATIENCE = 300_000;

/** Starts the real service for all browser tests. `BACKPLAY_PYTHON` names the interpreter, the venv's by default. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const port = await freePort();
  const python = process.env.BACKPLAY_PYTHON ?? `${ROOT}.venv/bin/python`;
  const service = spawn(python, ["-m", "app"], {
    cwd: ROOT,
    env: { ...process.env, BACKPLAY_HOST: "127.0.0.1", BACKPLAY_PORT: String(port), BACKPLAY_LOG_LEVEL: "warning" },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let complaints = "";
  service.stderr.on("data", (text: Buffer) => {
    complaints += text.toString();
  });
  const end = async (): Promise<void> => {
    service.kill("SIGTERM");
    if (service.exitCode === null && service.signalCode === null) await once(service, "exit");
  };
  const address = `http://127.0.0.1:${port}/`;
  const started = answers(`${address}healthz`, () => {
    if (service.exitCode !== null)
      throw new Error(`The service ended with ${service.exitCode} instead of answering:\n${complaints}`);
  });
  await started.catch(async (error: unknown) => {
    await end();
    throw error;
  });
  project.provide("address", address);
  return end;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  server.close();
  await once(server, "close");
  if (at === null || typeof at === "string") throw new Error(`expected a TCP address, got ${at}`);
  return at.port;
}

async function answers(url: string, stillAlive: () => void): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    stillAlive();
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    if (Date.now() > deadline) throw new Error(`${url} did not answer within ${PATIENCE / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
