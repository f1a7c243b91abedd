import BatonOperations

/// Turns the record of a real workflow into a graph file whose operations take as long as the recorded tasks did.
///
/// It reads WfFormat 1.5 and later (github.com/wfcommons/WfFormat): `workflow.specification.tasks` has the graph,
/// `workflow.execution.tasks` the run times and priorities.
public enum WfCommonsImporter {
    /// Makes a graph file.
    ///
    /// Each task becomes an operation that sleeps for the task's run time and needs its parents. Priorities keep their
    /// order on Baton's five levels: a higher number is more urgent, as in Pegasus and HTCondor, and a task without one is
    /// `normal`. Where there are more than five, neighbours share a level.
    ///
    /// - Parameters:
    ///   - text: the record.
    ///   - fileName: its name, for errors.
    ///   - timeScale: what the run times are multiplied by, from 0.
    /// - Returns: the text of a graph file.
    /// - Throws: ``GraphFileError`` for a text that is no such record, with the place.
    public static func graphFile(
        from text: [UInt8],
        fileName: String,
        timeScale: Double = 1
    ) throws(GraphFileError) -> String {
        // A record names no files to read lines from and no directories.
        var reader = WfCommonsReader(
            builder: GraphBuilder(
                options: GraphFileOptions(fileName: fileName, readLines: { _ throws(Refusal) in [] }),
                text: text
            )
        )
        return GraphFileWriter.text(of: try reader.submission(timeScale: timeScale))
    }
}
