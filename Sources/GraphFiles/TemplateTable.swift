import BatonOperations

/// Templates, each of them once.
///
/// A dictionary from templates would hold each of them a second time; a million different ones are a lot of memory to
/// move whenever it grows.
struct TemplateTable {
    /// The templates, in the order of their first use.
    private(set) var templates: [Template] = []
    /// The position of a template by its hash, or by the next number after it that was free.
    private var positions: [Int: Int] = [:]
    /// The template that was used last.
    private var last = 0

    /// The position of a template, which is added if it is new.
    mutating func position(of template: Template) -> Int {
        // Neighbours are mostly alike, and comparing is cheaper than hashing.
        if last < templates.count, templates[last] == template { return last }
        var hash = template.hashValue
        while let position = positions[hash] {
            if templates[position] == template {
                last = position
                return position
            }
            hash &+= 1
        }
        last = templates.count
        positions[hash] = last
        templates.append(template)
        return last
    }
}
