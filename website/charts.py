"""Plain SVG: the interval of a row, accuracies over time, shares of the time. Colours come from the style sheet."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, BELOW = 760, 380, 48, 210, 44  # of the curves, and what surrounds them
APART = 14  # between two labels


class Scale:
    """A logarithmic scale from the smallest to the largest of some values, as percentages of a width."""

    def __init__(self, values):
        values = [value for value in values if value and math.isfinite(value) and value > 0]
        self.low, self.high = (min(values), max(values)) if values else (1.0, 1.0)

    def __call__(self, value) -> float:
        """Where the value lies, from 3 to 97."""
        span = math.log(self.high / self.low) or 1.0
        return round(3 + 94 * math.log(value / self.low) / span, 2)


def interval(scale: Scale, low, middle, high, text: str, one: bool) -> str:
    """A dot with its interval; `one`: a dashed line where the scale has 1; `text` is read out for it."""
    ends = [middle if end is None or not math.isfinite(end) else end for end in (low, high)]
    start, end = map(scale, ends)
    line = f'<line class="one" x1="{scale(1)}%" x2="{scale(1)}%" y1="0" y2="100%"/>' if one else ""
    span = f'<line class="span" x1="{start}%" x2="{end}%" y1="50%" y2="50%"/>'
    dot = f'<circle class="dot" cx="{scale(middle)}%" cy="50%" r="4"/>'
    text = html.escape(text)
    return f'<svg class="bar" role="img" aria-label="{text}"><title>{text}</title>{line}{span}{dot}</svg>'


def ticks(low: float, high: float, count: int) -> list:
    """Round numbers within a range, about `count` of them."""
    step = (high - low) / count or 1.0
    size = 10 ** math.floor(math.log10(step))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= step * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(first * step + k * step, 10) for k in range(int((high - first * step) / step + 1e-9) + 1)]


def curves(lines: list, across: str, up: str) -> str:
    """Lines with labels at their right: [{row, era, title, points: [(x, y)]}]; the axes say `across` and `up`."""
    points = [point for line in lines for point in line["points"]]
    most, low, high = max(x for x, _ in points), min(y for _, y in points), max(y for _, y in points)
    low, high = low - (high - low) * 0.05 - 1e-9, high + (high - low) * 0.05 + 1e-9
    right, bottom = WIDTH - RIGHT, HEIGHT - BELOW

    def x(value):
        return round(LEFT + (right - LEFT) * value / most, 1)

    def y(value):
        return round(bottom - (bottom - 8) * (value - low) / (high - low), 1)

    shown = []
    for value in ticks(low, high, 5):
        shown.append(f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{y(value)}" y2="{y(value)}"/>')
        shown.append(f'<text x="{LEFT - 6}" y="{y(value) + 4}" text-anchor="end">{value:g}</text>')
    for value in ticks(0, most, 6):
        shown.append(f'<text x="{x(value)}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>')
    shown.append(f'<text x="{right}" y="{bottom + 36}" text-anchor="end">{html.escape(across)}</text>')
    shown.append(f'<text x="4" y="{bottom + 36}">{html.escape(up)}</text>')
    ordered, places = sorted(lines, key=lambda line: y(line["points"][-1][1])), []
    for line in ordered:
        places.append(max(y(line["points"][-1][1]), places[-1] + APART if places else 10))
    overflow = max(0, places[-1] - (HEIGHT - 4))
    for index in range(len(places) - 1, -1, -1):  # what hangs below the picture is pushed up
        limit = places[index + 1] - APART if index + 1 < len(places) else HEIGHT - 4
        places[index] = min(places[index], limit) if overflow else places[index]
    for line, place in zip(ordered, places, strict=True):
        path = " ".join(f"{x(a)},{y(b)}" for a, b in line["points"])
        end = line["points"][-1]
        era = ' class="era"' if line["era"] else ""
        dots = "".join(f'<circle class="dot" cx="{x(a)}" cy="{y(b)}" r="2.5"/>' for a, b in line["points"])
        shown.append(
            f'<g data-row="{line["row"]}" data-era="{"2018" if line["era"] else "today"}"{era}>'
            f'<polyline class="line" points="{path}"/>{dots}'
            f'<line class="lead" x1="{x(end[0])}" y1="{y(end[1])}" x2="{right + 8}" y2="{place}"/>'
            f'<text x="{right + 12}" y="{place + 4}">{html.escape(line["title"])}</text></g>'
        )
    alt = html.escape(f"{up} over {across}, one line for each row; the table has the last values")
    body = "".join(shown)
    return f'<svg class="curves" viewBox="0 0 {WIDTH} {HEIGHT + 4}" role="img" aria-label="{alt}">{body}</svg>'


def share(parts: list) -> str:
    """One stacked bar: [(number of its colour, percent)]; the figures stand below it, as text."""
    shown, start = [], 0.0
    for number, percent in parts:
        shown.append(f'<rect class="k{number}" x="{start:.2f}%" y="1" width="{percent:.2f}%" height="14"/>')
        start += percent
    return f'<svg class="share" aria-hidden="true">{"".join(shown)}</svg>'
