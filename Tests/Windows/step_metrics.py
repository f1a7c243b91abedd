"""The metrics, with the tools of Prometheus: the format, the rules, the dashboard, and a scrape by a real Prometheus."""

import contextlib
import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import urllib.parse
import urllib.request

import metric_list
import promql
import yaml
from cluster import Cluster, Failure

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "docker" / "monitoring"
TESTS = pathlib.Path(__file__).resolve().parent
VARIABLES = {"$__rate_interval": "1m", "$__interval": "1m", "$instance": ".*", "$queue": ".*"}


def run(report, options):
    with tempfile.TemporaryDirectory(prefix="baton-windows-") as name:
        work = pathlib.Path(name)
        for file in [*FOLDER.iterdir(), *TESTS.glob("*.yml")]:
            shutil.copy(file, work)
        check_files(work, report)
        with Cluster() as cluster:
            if cluster.has("/metrics"):
                work_something(cluster)
                check_format(cluster, report)
                check_prometheus(work, cluster, report)
            else:
                report.skip("this program has no /metrics")
            cluster.check_health(report)


def tool(report, what, *command, input=None):
    done = subprocess.run(command, input=input, capture_output=True)
    words = (done.stdout + done.stderr).decode(errors="replace").strip()
    report.expect(done.returncode == 0, f"{what}: {words[-800:]}")
    return words


def check_files(work, report):
    """Checks the files without a coordinator."""
    (work / "token").write_text("none")
    tool(report, "promtool check config", "promtool", "check", "config", f"{work}/prometheus.yml")
    tool(report, "promtool check rules", "promtool", "check", "rules", f"{work}/baton.rules.yml")
    tool(report, "promtool test rules", "promtool", "test", "rules", f"{work}/baton.rules.test.yml")
    rules = rules_of(work / "baton.rules.yml", report)
    recorded = {}
    for kind, name, expression in rules:
        try:
            promql.check(expression, recorded)
            if kind == "record":
                recorded[name] = promql.labels_of_rule(expression, recorded)
            report.expect(True, "")
        except promql.Unknown as error:
            report.expect(False, f"{name}: {error}")
    alerts = [name for kind, name, _ in rules if kind == "alert"]
    report.figure("rules", f"{len(alerts)} alerts, {len(recorded)} recorded")
    check_dashboard(work, recorded, report)


def rules_of(file, report):
    """The rules of a file: kind, name and expression of each."""
    found = []
    for group in yaml.safe_load(file.read_text())["groups"]:
        for rule in group["rules"]:
            kind = "alert" if "alert" in rule else "record"
            found.append((kind, rule[kind], rule["expr"]))
            if kind == "alert":
                texts = rule.get("annotations", {})
                report.expect(
                    texts.get("summary") and texts.get("description"), f"{rule[kind]} has no summary or no description"
                )
    return found


def check_dashboard(work, recorded, report):
    """Checks that each expression of the dashboard parses, and names what exists."""
    dashboard = json.loads((work / "grafana-dashboard.json").read_text())
    expressions = [
        (panel["title"], target["expr"]) for panel in dashboard["panels"] for target in panel.get("targets", [])
    ]
    for title, expression in expressions:
        try:
            promql.check(expression, recorded)
            report.expect(True, "")
        except promql.Unknown as error:
            report.expect(False, f"the panel {title}: {error}")
    names = [variable["name"] for variable in dashboard["templating"]["list"]]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            selector, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
            try:
                promql.check(f"sum by ({label}) ({selector})", recorded)
                report.expect(True, "")
            except promql.Unknown as error:
                report.expect(False, f"the variable {variable['name']}: {error}")
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard["panels"]))) - {"__rate_interval", "__interval", "__all"}
    report.expect(used <= set(names), f"the dashboard has no variable {', '.join(sorted(used - set(names)))}")
    # Prometheus's own parser sees them as rules.
    for name, value in VARIABLES.items():
        expressions = [(title, expression.replace(name, value)) for title, expression in expressions]
    lines = ["groups:", "  - name: dashboard", "    rules:"]
    for index, (_, expression) in enumerate(expressions):
        lines += [f"      - record: dashboard:{index}", f"        expr: {json.dumps(expression)}"]
    (work / "dashboard.rules.yml").write_text("\n".join(lines) + "\n")
    tool(report, "the dashboard's expressions", "promtool", "check", "rules", f"{work}/dashboard.rules.yml")
    report.figure("expressions of the dashboard", f"{len(expressions)} in {len(dashboard['panels'])} panels")


def work_something(cluster):
    """Gives each metric something to tell: ends of each kind, a queue with a limit, a waiting operation, a stream."""
    cluster.baton("queue", "set", "narrow", "--max-concurrent", "1")
    cluster.baton("limit", "set", "licence", "3")
    cluster.baton("submit", "--queue", "narrow", "--array", "1-20", "--", "true")
    failing = cluster.baton("submit", "--", "false").decode().strip()
    held = cluster.baton("submit", "--hold", "--", "true").decode().strip()
    cluster.baton("cancel", held)
    cluster.baton("submit", "--hold", "--", "true")
    cluster.baton("submit", "--", "sleep", "600")
    # The wait of a job that fails ends with its status, as it should.
    with contextlib.suppress(Failure):
        cluster.baton("wait", failing)
    cluster.baton("wait", "--queue", "narrow")
    for path in ["/api/v1/status", "/api/v1/jobs", "/api/v1/jobs/999", "/nothing"]:
        cluster.get(path)


def check_format(cluster, report):
    answers = [cluster.get("/metrics") for _ in range(20)]
    answer = answers[-1]
    if not report.expect(answer.status == 200, f"/metrics: {answer}"):
        return
    kind = answer.headers.get("Content-Type", "")
    report.expect(kind.startswith("text/plain; version=0.0.4"), f"/metrics is {kind}, not text/plain; version=0.0.4")
    tool(report, "promtool check metrics", "promtool", "check", "metrics", input=answer.body)
    text = answer.body.decode()
    metric_list.check_scrape(text, report)
    values = {value for _, labels, _ in metric_list.samples(text) for value in labels.values()}
    strange = sorted(value for value in values if re.search(r"/\d|nothing|\btrue\b|\bsleep\b", value))
    report.expect(not strange, f"a label has what is of one job, request or command: {', '.join(strange)}")
    report.figure("size of a scrape", f"{len(answer.body):,} bytes")
    report.limit("median time of a scrape", sorted(each.seconds for each in answers)[10] * 1000, "ms", most=20)
    report.expect(
        cluster.request("GET", "/metrics", token="x" * 43).status == 401, "/metrics answers without a valid token"
    )


def check_prometheus(work, cluster, report):
    """Lets a real Prometheus scrape with a viewer's token in a file, and asks it for the figures."""
    token = cluster.baton("authorize", "--http", "--role", "viewer", "prometheus").decode()
    (work / "token").write_text(token)
    text = (work / "prometheus.yml").read_text()
    # The coordinator of a step has no certificate.
    report.expect("\n    scheme: https\n" in text, "the token travels without TLS")
    text = text.replace("\n    scheme: https\n", "\n    scheme: http\n")
    text = text.replace("coordinator:7462", f"{cluster.host}:{cluster.port}").replace("15s", "1s")
    (work / "prometheus.yml").write_text(text)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        "prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/data",
        f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn",
    ]  # fmt: skip
    with open(work / "prometheus.log", "wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            query = Query(port)
            for _ in cluster.await_until("a scrape by Prometheus"):
                if process.poll() is not None:
                    raise Failure(f"Prometheus has ended: {(work / 'prometheus.log').read_text()[-800:]}")
                if (
                    query('up{job="baton"}') == [1]
                    and len(query("instance_queue_outcome:baton_operations_finished:rate5m")) > 1
                ):
                    break
            report.expect(True, "")
            for expression, value in [
                ('sum(baton_operations_finished_total{outcome="succeeded"})', 20),
                ('sum(baton_operations_finished_total{outcome="failed"})', 1),
                ('sum(baton_operations_finished_total{outcome="cancelled"})', 1),
                ('sum(baton_operations{state="executing"})', 1),
                ('baton_queue_limit{queue="narrow"}', 1),
                ('baton_limit_units{limit="licence"}', 3),
                ("sum(baton_worker_slots)", 2),
                ('baton_workers{state="alive"}', 1),
                ("sum(baton_operation_run_seconds_count) >= bool 21", 1),
            ]:
                found = query(expression)
                report.expect(found == [value], f"Prometheus answers {found} to {expression}, not {value}")
            firing = query('ALERTS{alertstate="firing"}')
            report.expect(not firing, f"{len(firing)} alerts fire for a cluster that is well")
        finally:
            process.terminate()


class Query:
    """Asks a Prometheus on this host; the values of the series, none while it does not answer."""

    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}/api/v1/query?query="

    def __call__(self, expression):
        try:
            with urllib.request.urlopen(self.address + urllib.parse.quote(expression), timeout=10) as answer:
                return [float(series["value"][1]) for series in json.load(answer)["data"]["result"]]
        except OSError:
            return []
