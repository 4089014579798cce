import { type Coordinates, placeVertices } from "./coordinates";
import { cutIntoLayers } from "./layers";
import type { Arrangement, Corner, Diagram, Point } from "./model";
import { orderRanks } from "./order";
import { spreadDepartures } from "./ports";
import { assignRanks } from "./ranks";
import { routeWires } from "./routes";
import { foldIntoRows, type Row, rowLength, rowOfRank } from "./rows";

/**
 * Lays out one connected diagram, layer by layer (Sugiyama, Tagawa, Toda 1981). Deterministic: the same diagram gives
 * the same numbers. Inside, "along" is the direction of the flow; only the last step turns it into x and y.
 */
export function arrange(diagram: Diagram): Arrangement {
  if (diagram.boxes.length === 0) return { places: [], routes: [], width: 0, height: 0, crossings: 0 };
  const ranks = assignRanks(diagram);
  const layers = cutIntoLayers(diagram, ranks);
  const crossings = orderRanks(layers);
  spreadDepartures(layers);
  const places = placeVertices(layers, diagram.direction);
  const rows = foldIntoRows(
    layers,
    places,
    diagram.boxes,
    diagram.direction === "right" ? diagram.aspect : 1 / diagram.aspect,
  );
  const length = Math.max(...rows.map((row) => rowLength(places, row)));
  const centres = diagram.boxes.map((_, box) => centre(layers.rank[box] ?? 0, places.across[box] ?? 0, places, rows));
  const routes = routeWires(layers, places, rows);
  const last = rows.at(-1);
  return turn(
    { places: centres, routes, width: length, height: (last?.top ?? 0) + (last?.breadth ?? 0), crossings },
    diagram,
  );
}

type Places = Coordinates;

function centre(rank: number, across: number, places: Places, rows: readonly Row[]): Point {
  const row = rows[rowOfRank(rows, rank)];
  return { x: (places.along[rank] ?? 0) - (row?.alongShift ?? 0), y: across + (row?.acrossShift ?? 0) };
}

/** Turns flow coordinates into page coordinates, with everything (the ends of wires to other rows too) at or right of zero. */
function turn(flow: Arrangement, { direction }: Diagram): Arrangement {
  const corners = flow.routes.flat();
  const [left, top] = [Math.min(0, ...xs(corners)), Math.min(0, ...ys(corners))];
  const [right, bottom] = [Math.max(flow.width, ...xs(corners)), Math.max(flow.height, ...ys(corners))];
  const move = (corner: Corner): Corner => {
    const [along, across] = [corner.x - left, corner.y - top];
    return direction === "right" ? { ...corner, x: along, y: across } : { ...corner, x: across, y: along };
  };
  const [width, height] = [right - left, bottom - top];
  return {
    places: flow.places.map(move),
    routes: flow.routes.map((route) => route.map(move)),
    width: direction === "right" ? width : height,
    height: direction === "right" ? height : width,
    crossings: flow.crossings,
  };
}

const xs = (points: readonly Point[]): number[] => points.map((point) => point.x);
const ys = (points: readonly Point[]): number[] => points.map((point) => point.y);
