import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Another site, on an origin of its own: answers each path as told. */
export class Elsewhere {
  private constructor(
    private readonly server: Server,
    readonly address: string,
  ) {}

  static async open(answers: Readonly<Record<string, (response: ServerResponse) => void>>): Promise<Elsewhere> {
    const server = createServer((request, response) => {
      const answer = answers[request.url ?? ""];
      if (answer) answer(response);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Elsewhere(server, `http://localhost:${(server.address() as AddressInfo).port}/`);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
