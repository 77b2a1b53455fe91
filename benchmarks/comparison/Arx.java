import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXPopulationModel;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** k-anonymity of a table with ARX: java Arx WAY K DATA HIERARCHIES OUT, or java Arx check K DATA. */
public class Arx {

    public static void main(String[] args) throws Exception {
        Data data = Data.create(new File(args[2]), StandardCharsets.UTF_8, ',');
        DataHandle input = data.getHandle();
        boolean check = args[0].equals("check");
        for (int i = 0; i < input.getNumColumns(); i++) {
            String name = input.getAttributeName(i);
            data.getDefinition().setAttributeType(name, AttributeType.QUASI_IDENTIFYING_ATTRIBUTE);
            if (!check) {
                File hierarchy = new File(args[3], name + ".csv");
                data.getDefinition().setAttributeType(name, AttributeType.Hierarchy.create(hierarchy, StandardCharsets.UTF_8, ';'));
            }
        }
        if (check) {
            Set<String> all = data.getDefinition().getQuasiIdentifyingAttributes();
            ARXPopulationModel population = ARXPopulationModel.create(input.getNumRows(), 1d);
            double risk = input.getRiskEstimator(population, all).getSampleBasedReidentificationRisk().getHighestRisk();
            System.out.println(Math.round(1 / risk));
            return;
        }
        ARXConfiguration settings = ARXConfiguration.create();
        settings.addPrivacyModel(new KAnonymity(Integer.parseInt(args[1])));
        // as in ARX's examples: local recoding begins with a suppressed table
        boolean local = args[0].startsWith("local");
        Metric<?> loss = local ? Metric.createLossMetric(0d) : Metric.createLossMetric();
        settings.setQualityModel(args[0].equals("local-precision") ? Metric.createPrecisionMetric(false, 0d) : loss);
        settings.setSuppressionLimit(args[0].equals("full-domain") ? 0d : 1d);
        ARXResult result = new ARXAnonymizer().anonymize(data, settings);
        DataHandle output = result.getOutput(false);
        if (local) {
            result.optimizeIterativeFast(output, args[0].equals("local-fine") ? 0.001d : 0.01d);
        }
        output.save(args[4], ',');
    }
}
