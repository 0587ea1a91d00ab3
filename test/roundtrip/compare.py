"""compare.py SOURCE FAILED FIRST SECOND: what GPX files say, read by Python, against two exports of ours.

SOURCE is a directory of files, FAILED a JSON array of those (relative) that were not imported. FIRST is the export after
their import, SECOND that after an import of FIRST alone. Prints each difference; ends with 1 when there was one.
"""

import hashlib, io, json, math, os, re, sys, unicodedata
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from xml.etree import ElementTree

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.A)
TIME = re.compile(r"(\d{4}-\d\d-\d\dT)(\d\d:\d\d:)(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?", re.A)
LINK = re.compile(r"(https?://|mailto:)\S+$", re.I)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
LINES = {"name": 512, "cmt": 8192, "desc": 8192, "src": 512, "type": 512}
NOTES = ("cmt", "desc")
BLANKS = " \t\n\xa0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def local(element):
    return element.tag.rpartition("}")[2]


def own(element):
    return (element.text or "") + "".join(child.tail or "" for child in element)


def child(element, name):
    """The text of the first child of a name, in the namespace of its parent."""
    space = element.tag[: -len(local(element))]
    found = element.find(space + name)
    return None if found is None else own(found)


def clean(text, most, is_note=False):
    kept = "\t\n" if is_note else ""
    text = "".join(" " if unicodedata.category(c) == "Cc" and c not in kept else c for c in text)
    text = unicodedata.normalize("NFC", text.strip(BLANKS))
    return text[:most].rstrip() if len(text) > most else text


def number(text):
    text = (text or "").strip()
    return float(text) if NUMBER.fullmatch(text) and math.isfinite(float(text)) else None


def degrees(text, limit):
    value = number(text)
    return value if value is not None and abs(value) <= limit else None


def milliseconds(text):
    match = TIME.fullmatch((text or "").strip())
    if match is None or int(match[3]) > 60:
        return None
    fraction = ((match[4] or ".") + "000")[1:4]
    is_midnight = match[2] == "24:00:" and match[3] == "00" and int((match[4] or ".0")[1:]) == 0
    clock = "00:00:" if is_midnight else match[2]
    try:
        start = datetime.fromisoformat(match[1] + clock + "00" + (match[5] or "Z").replace("Z", "+00:00"))
    except ValueError:
        return None
    seconds = int(match[3]) + 86400 * is_midnight
    return round((start - EPOCH) / timedelta(milliseconds=1)) + seconds * 1000 + int(fraction)


def half_up(value, parts):
    return None if value is None else math.floor(value * parts + 0.5)


def texts(element, cleans, more={}):
    found = {}
    for name, most in {**LINES, **more}.items():
        text = child(element, name) or ""
        text = clean(text, most, name in NOTES) if cleans else text
        if text:
            found[name] = text
    space = element.tag[: -len(local(element))]
    links = [(one.get("href") or "", child(one, "text") or "") for one in element.findall(space + "link")]
    if child(element, "url") is not None:
        links.append((child(element, "url"), child(element, "urlname") or ""))
    links = [(href.strip(), clean(text, 512) if cleans else text) for href, text in links]
    links = [(href, text) for href, text in links if LINK.match(href) and len(href) <= 2048]
    if links:
        found["links"] = tuple(links[:8])
    return found


def bound(path):
    """Some recorders forget to bind a prefix of their extensions; as we, Python shall read what else is there."""
    content = open(path, "rb").read()
    used = set(re.findall(rb"[<\s/]([\w.-]+):[\w.-]+[\s=/>]", content))
    unbound = used - set(re.findall(rb"xmlns:([\w.-]+)", content)) - {b"xmlns", b"xml"}
    added = b"".join(b' xmlns:%s="urn:%s"' % (prefix, prefix) for prefix in unbound)
    return io.BytesIO(re.sub(rb"<((?:[\w.-]+:)?gpx)\b", rb"<\1" + added, content, count=1))


def read(path, cleans):
    """@returns (waypoints, lines) of a file. @raises ValueError: it is no GPX; ParseError: it is no XML."""
    try:
        return parse(path, cleans)
    except ElementTree.ParseError as error:
        if not str(error).startswith("unbound prefix"):
            raise
        return parse(bound(path), cleans)


def parse(path, cleans):
    waypoints, lines, root, count = [], [], None, 0
    depth = 0
    for event, element in ElementTree.iterparse(path, ("start", "end")):
        depth += 1 if event == "start" else -1
        if root is None:
            root = element
            if local(root) != "gpx":
                raise ValueError("no GPX")
            space = root.tag[:-3]
        if event == "start" or depth != 1:
            continue
        kind = local(element) if element.tag == space + local(element) else ""
        if kind == "wpt":
            count += 1
            lat, lon = degrees(element.get("lat"), 90), degrees(element.get("lon"), 180)
            if lat is not None and lon is not None:
                said = texts(element, cleans, {"sym": 512})
                said = {"name": f"Waypoint {count}", **said, "at": (lat, -180.0 if lon == 180 else lon)}
                said["ele"], said["time"] = number(child(element, "ele")), milliseconds(child(element, "time"))
                waypoints.append({name: value for name, value in said.items() if value is not None})
        elif kind in ("trk", "rte"):
            segments = element.findall(space + "trkseg") if kind == "trk" else [element]
            points = [[p for p in map(point, one.findall(f"{space}{kind}pt")) if p] for one in segments]
            points = [segment for segment in points if segment]
            if points:
                digest = hashlib.sha256(repr(points).encode()).hexdigest()[:16]
                timed = sum(p[3] is not None for segment in points for p in segment)
                said = texts(element, cleans)
                lines.append((kind, json.dumps(said, sort_keys=True), tuple(map(len, points)), timed, digest))
        root.clear()
    return waypoints, lines


def point(element):
    lat, lon = degrees(element.get("lat"), 90), degrees(element.get("lon"), 180)
    if lat is None or lon is None:
        return None
    is_track = local(element) == "trkpt"
    time = milliseconds(child(element, "time")) if is_track else None
    name = "" if is_track else clean(child(element, "name") or "", 512)
    lat, lon, ele = half_up(lat, 10**7), half_up(lon, 10**7), half_up(number(child(element, "ele")), 10)
    return lat, -lon if lon == 1800000000 else lon, ele, time, name


def identity(waypoint):
    lat, lon = waypoint["at"]
    return waypoint["name"], half_up(lat, 10**6), -180000000 if abs(lon) == 180 else half_up(lon, 10**6)


def main(source, failed, first, second):
    failed, differences, files = set(json.loads(failed)), [], 0
    twins, lines, seen = defaultdict(list), {}, set()
    wanted = Counter()
    for folder, _, names in os.walk(source):
        for name in sorted(names):
            path = os.path.join(folder, name)
            file = os.path.relpath(path, source)
            content = hashlib.sha256(open(path, "rb").read()).digest()
            if not name.lower().endswith(".gpx") or content in seen:
                continue
            seen.add(content)
            try:
                waypoints, found = read(path, True)
            except (ElementTree.ParseError, ValueError, LookupError) as error:
                if file not in failed:
                    differences.append(f"{file}: imported, and Python says {error}")
                continue
            if file in failed:
                differences.append(f"{file}: not imported, and Python can read it")
                continue
            files += 1
            for waypoint in waypoints:
                twins[identity(waypoint)].append(waypoint)
            for line in found:
                lines[line] = file
            wanted.update(found)
    shown, exported = read(first, False)
    for line, count in (wanted - Counter(exported)).items():
        differences.append(f"{lines[line]}: {count} not in the export: {line}")
    for line, count in (Counter(exported) - wanted).items():
        differences.append(f"{count} in the export only: {line}")
    for waypoint in shown:
        group = twins.pop(identity(waypoint), [])
        for name in {key for one in [waypoint, *group] for key in one}:
            # Of twins, which of them is the newest is the import's to say.
            if waypoint.get(name) not in [one[name] for one in group if name in one]:
                differences.append(f"waypoint {waypoint}: {name} is none of {group}")
    differences += [f"waypoint not in the export: {group}" for group in twins.values()]
    if read(second, False) != (shown, exported):
        differences.append("the second export is not the first")
    print(*differences, sep="\n")
    kinds = Counter(line[0] for line in exported)
    points, timed = sum(sum(line[2]) for line in exported), sum(line[3] for line in exported)
    print(f"{files} files read, {len(failed)} refused by both: {len(shown)} waypoints, {kinds['trk']} tracks,")
    print(f"{kinds['rte']} routes, {points} points ({timed} with a time); {len(differences)} differences")
    return 1 if differences else 0


sys.exit(main(*sys.argv[1:]))
