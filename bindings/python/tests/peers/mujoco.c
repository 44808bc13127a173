/* The answers of MuJoCo to the examples of docs/python-coming-from.md: what its Python package calls. Its argument is a folder
 * for the model, which this version reads from a file. */
#include <mujoco/mujoco.h>

#include <stdio.h>

static void contact(const char *name, const char *folder, const char *bodies)
{
    char path[4096], error[1000] = "";
    snprintf(path, sizeof path, "%s/%s.xml", folder, name);
    FILE *file = fopen(path, "w");
    fprintf(file, "<mujoco><worldbody>%s</worldbody></mujoco>", bodies);
    fclose(file);
    mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
    if (model == NULL) {
        fprintf(stderr, "%s\n", error);
        return;
    }
    mjData *data = mj_makeData(model);
    mj_forward(model, data);
    printf("%s distance %.17g\n%s normal_x %.17g\n", name, data->contact[0].dist, name, data->contact[0].frame[0]);
    mj_deleteData(data);
    mj_deleteModel(model);
}

int main(int count, char **words)
{
    const char *folder = count > 1 ? words[1] : ".";
    contact("contact", folder,
            "<geom type='box' size='1 1 1'/><body pos='1.4 0.1 0.2'><freejoint/>"
            "<geom type='sphere' size='0.5'/></body>");
    contact("capsules", folder,
            "<geom type='capsule' size='0.5 1'/><body pos='0.9 0 0'><freejoint/>"
            "<geom type='capsule' size='0.5 1' quat='0.8 0.6 0 0'/></body>");
    return 0;
}
