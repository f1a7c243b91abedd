@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

extension LiveJob {
    /// Takes over an addition; its entries have no nodes yet.
    ///
    /// - Parameters:
    ///   - needs: what the operations of the added templates need of their workers.
    ///   - requests: what each added template's operations ask of their workers; empty for nothing.
    ///   - distinguishesVersions: whether versions of the option set play a part.
    ///   - distinguishesTimes: whether declared times play a part.
    /// - Complexity: O(the addition · log entries), amortized.
    mutating func append(
        _ addition: JobAddition,
        _ needs: TemplateNeeds,
        requests: [RequestIndex?],
        distinguishesVersions: Bool,
        distinguishesTimes: Bool
    ) {
        invariant(join.unfinished > 0, "Operations are added to a job that has finished.")
        let templateBase = templates.count
        append(addition.submission.templates, needs, requests: requests)
        updateRequirements(
            from: templateBase,
            distinguishesVersions: distinguishesVersions,
            distinguishesTimes: distinguishesTimes
        )
        append(addition.submission.entries, templateBase: templateBase, earlier: addition.earlier)
        growth?.note(AddedPart(addition))
    }

    /// Adds entries without nodes.
    ///
    /// - Parameters:
    ///   - templateBase: the number of the job's earlier templates.
    ///   - earlier: see ``BatonOperations/JobAddition/earlier``.
    mutating func append(_ entries: [Entry], templateBase: Int, earlier: [UInt32]) {
        append(
            entries,
            entries.indices,
            entryBase: self.entries.count,
            templateBase: templateBase,
            earlier: earlier
        )
    }

    /// Adds some of the entries of a submission or an addition without nodes; the entries before them were added before.
    ///
    /// - Parameters:
    ///   - range: the positions of the entries.
    ///   - entryBase: the number of the job's entries before the submission or the addition.
    ///   - templateBase: the number of the job's earlier templates.
    ///   - earlier: see ``BatonOperations/JobAddition/earlier``.
    mutating func append(
        _ entries: [Entry],
        _ range: Range<Int>,
        entryBase: Int,
        templateBase: Int,
        earlier: [UInt32]
    ) {
        let earlierEntries = earlier.map { entry(ofIndex: $0) ?? 0 }
        let first = UInt32(operationCount)
        var next = first
        // Access by position: copies of a million entries would take longer than all the rest of this function.
        for position in range {
            let count = UInt32(entries[position].count)
            var live = LiveEntry(
                first: next,
                count: count,
                template: Int32(templateBase + entries[position].template),
                dependencies: Int32(dependencies.count)
            )
            if let values = entries[position].array {
                live.array = add(
                    LiveArray(
                        entry: entryBase + position,
                        values: values,
                        join: Join(unfinished: Int(count), isJob: false),
                        limit: templates[Int(live.template)].maxConcurrent
                    )
                )
            }
            self.entries.append(live)
            for dependency in entries[position].dependencies {
                var dependency = dependency
                switch dependency.target {
                case .entry(let target):
                    dependency.target = .entry(
                        target < entries.count ? entryBase + target : earlierEntries[target - entries.count]
                    )
                case .elements(let target): dependency.target = .elements(entryBase + target)
                case .existing, .existingElements, .element: break
                }
                add(dependency)
            }
            next += count
        }
        add(names: entries[range].lazy.map { $0.name ?? "" })
        growth?.note(entries[range].lazy.map { $0.name ?? "" }, from: entryBase + range.lowerBound)
        join.add(Int(next - first))
    }
}
