"""Checks that what manifests name exists: other manifests, Secrets, volumes, ports, addresses, variables, and commands of baton."""

import re

from commands import parse
from shapes import expect

# A Secret is made by a command: of single keys, or of a directory with all its files.
SECRET = re.compile(r"kubectl create secret generic (\S+) --from-file=(\S+)")
# The volumes of a pod are mounted by these.
CONTAINERS = ["initContainers", "containers"]


def made_secrets(lines):
    """The keys of each Secret that commands make, by its name; None for the files of a directory."""
    secrets = {}
    for name, source in SECRET.findall("\n".join(lines)):
        secrets[name] = {source.partition("=")[0]} if "=" in source else None
    return secrets


def objects_of(value):
    """All objects within a value."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from objects_of(part)


def pods_of(manifests):
    """The pods of the manifests, with the name and the number of what makes them, and their labels."""
    for manifest in manifests:
        spec = manifest.get("spec", {})
        template = spec.get("jobTargetRef", spec).get("template")
        if template:
            yield manifest, template["metadata"]["labels"], template["spec"]


def check_references(manifests, lines):
    """Checks manifests that are applied together, after the commands of these lines."""
    names = {(manifest["kind"], manifest["metadata"]["name"]) for manifest in manifests}
    secrets = made_secrets(lines)
    for part in (part for manifest in manifests for part in objects_of(manifest)):
        for member in ["configMapRef", "configMapKeyRef"]:
            if member in part:
                expect(("ConfigMap", part[member]["name"]) in names, f"there is no ConfigMap {part[member]['name']}")
        if "secretName" in part:
            expect(part["secretName"] in secrets, f"no command makes the Secret {part['secretName']}")
        if "secretKeyRef" in part:
            name, key = part["secretKeyRef"]["name"], part["secretKeyRef"]["key"]
            expect(key in (secrets.get(name) or ()), f"no command makes the Secret {name} with the key {key}")
        if "serviceName" in part:
            expect(("Service", part["serviceName"]) in names, f"there is no Service {part['serviceName']}")
        if "scaleTargetRef" in part:
            target = part["scaleTargetRef"]["kind"], part["scaleTargetRef"]["name"]
            expect(target in names, f"there is no {' '.join(target)} to scale")
        if isinstance(part.get("exec"), dict):
            program, *words = part["exec"]["command"]
            expect(program == "baton", f"a probe runs {program}, not baton")
            expect(parse(words)[0] == "health", f"a probe runs baton {words[0]}")
    pods = list(pods_of(manifests))
    check_selectors(manifests, [labels for _, labels, _ in pods])
    data = {manifest["metadata"]["name"]: set(manifest["data"]) for manifest in manifests if manifest["kind"] == "ConfigMap"}
    for manifest, _, pod in pods:
        check_pod(manifest, pod, data)
    check_addresses(manifests)
    check_lines(lines, names)


def check_selectors(manifests, labels):
    """Checks that each selector selects the pods of a manifest."""
    for manifest in manifests:
        for part in objects_of(manifest):
            for member in ["selector", "labelSelector"]:
                if member in part:
                    wanted = part[member].get("matchLabels", part[member])
                    found = any(wanted.items() <= own.items() for own in labels)
                    expect(found, f"{manifest['kind']} {manifest['metadata']['name']} selects no pod: {wanted}")


def check_pod(manifest, pod, data):
    """Checks that the volumes and variables of a pod are there, and that each volume is used.

    - data: the names of the variables of each ConfigMap.
    """
    place = f"{manifest['kind']} {manifest['metadata']['name']}"
    claims = {claim["metadata"]["name"] for claim in manifest["spec"].get("volumeClaimTemplates", [])}
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    containers = [container for field in CONTAINERS for container in pod.get(field, [])]
    mounted = {mount["name"] for container in containers for mount in container.get("volumeMounts", [])}
    expect(
        mounted == volumes | claims, f"{place} has volumes that are not mounted, or the reverse: {mounted ^ (volumes | claims)}"
    )
    for container in containers:
        known = {variable["name"] for variable in container.get("env", [])}
        known = known.union(*(data[source["configMapRef"]["name"]] for source in container.get("envFrom", [])))
        for name in re.findall(r"\$\((\w+)\)", " ".join(map(str, container.get("args", [])))):
            expect(name in known, f"{place} uses the variable {name}, which {container['name']} has not")


def check_addresses(manifests):
    """Checks that coordinators are where their addresses say, and that a Service's ports are those of its pods."""
    hosts, pods = {}, list(pods_of(manifests))
    for service in (manifest for manifest in manifests if manifest["kind"] == "Service"):
        name, spec = service["metadata"]["name"], service["spec"]
        ports = {port["port"] for port in spec["ports"]}
        hosts[name] = ports
        for manifest, labels, pod in pods:
            if not spec["selector"].items() <= labels.items():
                continue
            named = {port["name"]: port["containerPort"] for part in pod["containers"] for port in part.get("ports", [])}
            for port in spec["ports"]:
                expect(port["targetPort"] in named, f"no pod of {name} has the port {port['targetPort']}")
            for number in range(manifest["spec"].get("replicas", 1)):
                hosts[f"{manifest['metadata']['name']}-{number}.{name}"] = ports
    for manifest in (manifest for manifest in manifests if manifest["kind"] == "ConfigMap"):
        for address in manifest["data"].get("BATON_COORDINATOR", "").split(","):
            found = re.fullmatch(r"tcp://(\S+):(\d+)", address)
            expect(
                not address or found and int(found[2]) in hosts.get(found[1], ()),
                f"no coordinator is at {address}: there are {', '.join(sorted(hosts))}",
            )


def check_lines(lines, names):
    """Checks that the commands name pods, sets and deployments that there are."""
    text = "\n".join(lines)
    for kind, name in re.findall(r"kubectl \w+(?: \w+)? (statefulset|deployment) (\S+)", text):
        expect((kind, name) in {(kind.lower(), name) for kind, name in names}, f"the comments name the {kind} {name}")
    for name in re.findall(r"kubectl (?:exec|port-forward) (\S+)-\d+ ", text):
        expect(("StatefulSet", name) in names, f"the comments name a pod of {name}, which is no StatefulSet")
