@_spi(Baton) import BatonOperations

/// Converts the record of a real workflow into a graph file with operations as long as the recorded tasks.
///
/// The importer reads WfFormat 1.5 and later (github.com/wfcommons/WfFormat): `workflow.specification.tasks` contains the
/// graph, `workflow.execution.tasks` the run times and priorities.
@_spi(Baton) public enum WfCommonsImporter {
    /// Creates a graph file.
    ///
    /// Each task becomes an operation; the operation sleeps for the task's run time and needs its parents. Priorities keep
    /// their order on Baton's five priorities: a higher number is more urgent, as in Pegasus and HTCondor, and a task without a
    /// priority is `normal`. With more than five different priorities, neighbours share one.
    ///
    /// - Parameters:
    ///   - text: the record.
    ///   - fileName: the record's file name, for errors.
    ///   - timeScale: a factor for the run times, from 0.
    /// - Returns: the text of a graph file.
    /// - Throws: ``GraphFileError`` for a text in another format, with the position.
    public static func graphFile(
        from text: [UInt8],
        fileName: String,
        timeScale: Double = 1
    ) throws(GraphFileError) -> String {
        // A record contains no directories, and no files with lines to read.
        var reader = WfCommonsReader(
            builder: GraphBuilder(
                options: GraphFileOptions(fileName: fileName, readLines: { _ throws(Refusal) in [] }),
                text: text
            )
        )
        return GraphFileWriter.text(of: try reader.submission(timeScale: timeScale))
    }
}
