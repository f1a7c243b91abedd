"""Builds what kustomize makes of docker/kubernetes, as far as kustomize is used there.

So the manifests are checked where kustomize is missing, and thousands of mistakes in a short time. "scripts/kubernetes" compares
what is built here with what kustomize builds.
"""

import copy
import posixpath

from shapes import expect

KUSTOMIZATION = "kustomization.yaml"
# What identifies an element of a list in a patch; other lists are replaced.
MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
}
MEMBERS = {"apiVersion", "kind", "resources", "patches", "images", "components"}


def identity(document):
    """What names a manifest: the version and kind of its interface, and its name."""
    expect(isinstance(document, dict), f"{document!r} is no manifest")
    metadata = document.get("metadata")
    expect(isinstance(metadata, dict), f"a manifest of the kind {document.get('kind')} has no metadata")
    names = document.get("apiVersion"), document.get("kind"), metadata.get("name")
    expect(all(isinstance(name, str) for name in names), f"a manifest is named by {names}, which are not texts")
    return names


def build(files, folder, components=()):
    """The manifests of a folder with more components: the documents of each file are given by its path."""
    manifests = {}
    accumulate(files, folder, manifests, "Kustomization", components)
    return list(manifests.values())


def accumulate(files, folder, manifests, kind, components=()):
    """Adds what a folder has to the manifests, and changes them as it says."""
    path = posixpath.join(folder, KUSTOMIZATION)
    expect(path in files and len(files[path]) == 1, f"{path} is missing, or has more than one document")
    (content,) = files[path]
    expect(isinstance(content, dict), f"{path} is no object")
    expect(content.get("kind") == kind, f"{path} is no {kind}")
    for member in content:
        expect(member in MEMBERS, f"{path} has the member {member}, which is misspelt or not meant there")
    for name in listed(content, "resources", path):
        place = posixpath.normpath(posixpath.join(folder, name))
        if place not in files:
            accumulate(files, place, manifests, "Kustomization")
            continue
        for document in files[place]:
            expect(identity(document) not in manifests, f"{path} has {identity(document)} twice")
            manifests[identity(document)] = copy.deepcopy(document)
    for name in [*listed(content, "components", path), *components]:
        accumulate(files, posixpath.normpath(posixpath.join(folder, name)), manifests, "Component")
    for patch in listed(content, "patches", path):
        place = posixpath.join(folder, patch.get("path", "")) if isinstance(patch, dict) else ""
        expect(place in files and len(files[place]) == 1, f"the patch {patch!r} of {path} is not one document of a file")
        apply(files[place][0], manifests, place)
    for image in listed(content, "images", path):
        expect(isinstance(image, dict) and len(image) == 3, f"{path} has the image {image!r}")
        for manifest in manifests.values():
            name_image(manifest, image)


def listed(content, member, path):
    value = content.get(member, [])
    expect(isinstance(value, list), f"{member} of {path} is no list")
    expect(member != "resources" or all(isinstance(name, str) for name in value), f"{path} has a resource without a path")
    return value


def apply(patch, manifests, place):
    """Changes the manifest that a patch names."""
    name = identity(patch)
    expect(name in manifests, f"{place} changes {name}, which is not there")
    if "$patch" in patch:
        expect(patch["$patch"] == "delete" and len(patch) == 4, f"{place} deletes more than a manifest, or less")
        expect(len(patch["metadata"]) == 1, f"{place} names more than a manifest")
        del manifests[name]
    else:
        manifests[name] = merged(manifests[name], patch, "", place)


def merged(base, patch, field, place):
    """A value with the changes of a patch, whose members that are null are removed."""
    if isinstance(base, dict) and isinstance(patch, dict):
        result = dict(base)
        for key, value in patch.items():
            expect(value is not None or key in base, f"{place} removes {key}, which is not there")
            if value is None:
                del result[key]
            else:
                result[key] = merged(base[key], value, key, place) if key in base else copy.deepcopy(value)
        return result
    if isinstance(base, list) and isinstance(patch, list) and field in MERGE_KEYS:
        by = MERGE_KEYS[field]
        for element in patch:
            is_named = isinstance(element, dict) and isinstance(element.get(by), str)
            expect(is_named, f"{place} has an element of {field} without {by}")
        names = [element[by] for element in patch]
        expect(len(set(names)) == len(names), f"{place} has an element of {field} twice")
        known = {element[by]: element for element in base}
        changes = {element[by]: element for element in patch}
        kept = [merged(element, changes[element[by]], "", place) if element[by] in changes else element for element in base]
        return [copy.deepcopy(element) for element in patch if element[by] not in known] + kept
    return copy.deepcopy(patch)


def name_image(part, image):
    """Replaces the name of an image in all containers below a part of a manifest."""
    if isinstance(part, list):
        for element in part:
            name_image(element, image)
    elif isinstance(part, dict):
        for field in ["containers", "initContainers"]:
            for container in part.get(field) or []:
                if isinstance(container, dict) and container.get("image") == image.get("name"):
                    container["image"] = f"{image.get('newName')}:{image.get('newTag')}"
        for value in part.values():
            name_image(value, image)
